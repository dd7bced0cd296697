import { expect, it } from 'vitest';
import { invoicesIn, proxiesIn, rowsOf } from './links.ts';

const range = { from: new Date(2026, 10, 16).toISOString(), to: new Date(2026, 10, 23).toISOString() };

it('lists the days of the range, both included', () => {
  const days = { from: '2026-11-16', to: '2026-11-22' };
  expect(rowsOf(range).users).toEqual({ to: '/admin/users', search: days });
  expect(invoicesIn(range, 'LTC')).toEqual({ to: '/admin/payment/invoices', search: { ...days, currency: 'LTC' } });
});

it('lists proxies of all countries, or of one', () => {
  expect(proxiesIn('unhealthy').search).toEqual({ state: 'UNHEALTHY' });
  expect(proxiesIn('free', 'DE').search).toEqual({ state: 'FREE', country: 'DE' });
});
