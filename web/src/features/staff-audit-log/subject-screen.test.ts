import { subjectTypes } from '@cellhop/contract/staff/audit-log.values';
import { expect, it } from 'vitest';
import { subjectScreen } from './subject-screen.ts';

it.each(subjectTypes)('%s has a screen', (type) => {
  expect(subjectScreen(type, 'a')?.to).toMatch(/^\/admin\//);
});

it('a subject without an id links to its list, if it has one', () => {
  expect(subjectScreen('ROLE', null)).toEqual({ to: '/admin/roles' });
  expect(subjectScreen('USER', null)).toBeUndefined();
});
