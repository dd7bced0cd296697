import { subjectTypes } from '@cellhop/contract/staff/audit-log.values';
import { expect, it } from 'vitest';
import { screenOf } from './subject-screen.ts';

it.each(subjectTypes)('%s has a screen', (type) => {
  expect(screenOf(type, 'a')?.to).toMatch(/^\/admin\//);
});

it('a subject without an id links to its list, if it has one', () => {
  expect(screenOf('ROLE', null)).toEqual({ to: '/admin/roles' });
  expect(screenOf('USER', null)).toBeUndefined();
});
