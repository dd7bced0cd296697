import { expect, it } from 'vitest';
import { describeChanges, describeValues } from './describe-values.ts';

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

it('shows what a value was and what it became', () => {
  expect(describeChanges({ status: 'OPEN', name: 'old' }, { status: 'CLOSED', limit: 3 })).toEqual([
    { name: 'status', before: 'OPEN', after: 'CLOSED' },
    { name: 'name', before: 'old', after: '—' },
    { name: 'limit', before: '—', after: '3' },
  ]);
  expect(describeChanges(null, null)).toEqual([]);
});
