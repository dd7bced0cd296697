import { expect, it } from 'vitest';
import { invoicesIn, proxiesIn, rowTargets, stepRange } from './links.tsx';

const range = { from: new Date(2026, 10, 16).toISOString(), to: new Date(2026, 10, 23).toISOString() };

it('lists the days of the range, both included', () => {
  const days = { from: '2026-11-16', to: '2026-11-22' };
  expect(rowTargets(range).users).toEqual({ to: '/admin/users', search: days });
  expect(invoicesIn(range, 'LTC')).toEqual({ to: '/admin/payment/invoices', search: { ...days, currency: 'LTC' } });
});

it('lists proxies of all countries, or of one', () => {
  expect(proxiesIn('unhealthy').search).toEqual({ state: 'UNHEALTHY' });
  expect(proxiesIn('free', 'DE').search).toEqual({ state: 'FREE', country: 'DE' });
});

it('lists the day of a bar, also of the last one', () => {
  const steps = [16, 17].map((day) => new Date(2026, 10, day).toISOString());
  const days = (index: number) =>
    rowTargets(stepRange(steps, index, { to: new Date(2026, 10, 18).toISOString() })).users.search;
  expect(days(0)).toEqual({ from: '2026-11-16', to: '2026-11-16' });
  expect(days(1)).toEqual({ from: '2026-11-17', to: '2026-11-17' });
});
