import { expect, it } from 'vitest';
import { describeValues } from './describe-values.ts';

it('shows each recorded value as text', () => {
  expect(describeValues({ balance: 4.5, note: null, roles: ['ADMIN', 'USER'], is: false, at: { day: 1 } })).toEqual([
    { name: 'balance', text: '4.5' },
    { name: 'note', text: '—' },
    { name: 'roles', text: 'ADMIN, USER' },
    { name: 'is', text: 'false' },
    { name: 'at', text: '{"day":1}' },
  ]);
  expect(describeValues(null)).toEqual([]);
});
