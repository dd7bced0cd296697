import { expect, it } from 'vitest';
import { WrongCredentials } from './wrong-credentials.ts';

const limits = { wrongCredentialsMs: 60_000, wrongCredentialsRemembered: 3 };
const pair = (username: string, password: string) => ({ username, password });

it('remembers a wrong pair for a minute from the first refusal, for the network that sent it', () => {
  let now = 0;
  const memory = new WrongCredentials(limits, () => now);
  expect(memory.add('a', pair('user', 'one'))).toBe(true);
  now = 59_999;
  expect(memory.add('a', pair('user', 'one'))).toBe(false);
  expect(memory.has('a', pair('user', 'one'))).toBe(true);
  expect(memory.has('b', pair('user', 'one'))).toBe(false);
  expect(memory.has('a', pair('user', 'two'))).toBe(false);
  expect(memory.has('a', pair('usero', 'ne'))).toBe(false);
  now = 60_000;
  expect(memory.has('a', pair('user', 'one'))).toBe(false);
  expect(memory.add('a', pair('user', 'one'))).toBe(true);
});

it('is bounded: the oldest pair is forgotten when it is full, and old ones with the next wrong pair', () => {
  let now = 0;
  const memory = new WrongCredentials(limits, () => now);
  for (const password of ['1', '2', '3', '4']) memory.add('a', pair('user', password));
  expect(memory.size).toBe(3);
  expect(memory.has('a', pair('user', '1'))).toBe(false);
  expect(memory.has('a', pair('user', '2'))).toBe(true);
  now = 60_000;
  memory.add('a', pair('user', '5'));
  expect(memory.size).toBe(1);
});
