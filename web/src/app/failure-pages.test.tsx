import { expect, it } from 'vitest';
import { openApp, refusal } from '../../test/open-app.tsx';

const faqs = 'GET /v1/faqs';
const usage = { 'GET /v1/usage': refusal(500, 'INTERNAL') };

it('keeps the menu, is reported once for each failure, and goes away with a retry or another screen', async () => {
  const { api, screen, user } = await openApp('/faq', {
    answers: { ...usage, [faqs]: { data: 'a secret of the server' } },
  });
  const failure = await screen.findByText(/^An error occurred\. Reload the page or try again later/);
  expect(failure.closest('main')).not.toBeNull();
  await expect.poll(() => api.errorReports).toEqual([expect.objectContaining({ name: 'TypeError', path: '/faq' })]);
  expect(JSON.stringify(api.errorReports)).not.toContain('a secret');

  await user.click(screen.getByRole('link', { name: 'Usage' }));
  await screen.findByRole('heading', { level: 1, name: 'Usage' });
  await expect.poll(() => screen.queryByText(/^An error occurred\. Reload/)).toBeNull();
  await user.click(screen.getByRole('link', { name: 'FAQ' }));
  await screen.findByText(/^An error occurred\. Reload the page or try again later/);

  // A good response alone does not bring the screen back.
  api.set({ [faqs]: { data: [{ id: '1', question: 'Why?', response: 'Because.' }] } });
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  await screen.findByText('Why?');
  expect(screen.queryByText(/^An error occurred\. Reload/)).toBeNull();
  api.errorReports.length = 0;
});
