import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isCommonPassword } from './password-rules.ts';

const lines = readFileSync(new URL('../../../data/common-passwords.txt', import.meta.url), 'utf8').split('\n');

test('the list is lower case, sorted, unique, and has no passwords below the minimum length', () => {
  expect(lines.pop()).toBe('');
  expect(lines.length).toBeGreaterThan(10_000);
  expect([...new Set(lines)].sort()).toEqual(lines);
  expect(lines.filter((line) => line !== line.toLowerCase() || line.length < 8)).toEqual([]);
});

test('the first, the last and each hundredth line are found in any case', () => {
  for (const line of lines.filter((_, index) => index % 100 === 0 || index === lines.length - 1)) {
    expect(isCommonPassword(line)).toBe(true);
    expect(isCommonPassword(line.toUpperCase())).toBe(true);
    expect(isCommonPassword(`${line} and more`)).toBe(false);
  }
});

test.each(['demo-password', 'correct horse battery staple', '', 'passwor', 'rustno1'])(
  '"%s" is not in it',
  (password) => {
    expect(isCommonPassword(password)).toBe(false);
  },
);
