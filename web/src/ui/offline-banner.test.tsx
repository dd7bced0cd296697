import { act } from '@testing-library/react';
import { expect, it } from 'vitest';
import { lost, openApp } from '../../test/open-app.tsx';

const faqs = 'GET /v1/faqs';

it('is shown from a lost request to the next that succeeds, when the screen is also fetched again', async () => {
  const { api, screen } = await openApp('/faq', {
    answers: { [faqs]: { data: [{ id: '1', question: 'Why?', response: 'Because.' }], totalPages: 1 } },
  });
  await screen.findByText('Why?');
  const countRequests = (start: string) => api.requests.filter((request) => request.startsWith(start)).length;
  const fetched = () => countRequests(faqs);
  const before = fetched();
  const asked = countRequests('GET /v1/settings');
  // The browser's word is a reason to ask, but not believed.
  act(() => void window.dispatchEvent(new Event('offline')));
  await expect.poll(() => countRequests('GET /v1/settings')).toBe(asked + 1);
  expect(screen.queryByText(/^You are offline/)).toBeNull();

  api.set({ 'GET /v1/settings': lost });
  act(() => void window.dispatchEvent(new Event('online')));
  await screen.findByText(/^You are offline/);
  screen.getByText('Why?');
  expect(fetched()).toBe(before);

  api.set({ 'GET /v1/settings': {} });
  act(() => void window.dispatchEvent(new Event('offline')));
  await expect.poll(() => screen.queryByText(/^You are offline/)).toBeNull();
  await expect.poll(fetched).toBeGreaterThan(before);
});
