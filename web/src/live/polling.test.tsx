/** @module-tag thorough */
import { act } from '@testing-library/react';
import { expect, it, onTestFinished, vi } from 'vitest';
import { LIVE_EVENTS_PATH } from '@cellhop/contract/live.values';
import { customer, lost, openApp } from '../../test/open-app.tsx';

it('keeps the balance up to date without live events', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  const { api, screen } = await openApp('/faq', {
    answers: { 'GET /v1/faqs': { data: [] }, [`GET ${LIVE_EVENTS_PATH}`]: lost },
  });
  const balance = () => screen.queryByRole('link', { name: /^Balance / })?.textContent;
  await expect.poll(balance).toContain('$1.00');
  api.set({ 'GET /v1/profile': { data: { ...customer, balance: 6 } } });
  await act(() => vi.advanceTimersByTimeAsync(15_000));
  await expect.poll(balance).toContain('$6.00');
});
