import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { decryptPassword, encryptPassword, hashPassword, isPassword, newCredentials } from './credentials.ts';

const UNAUTHENTIC = 'unable to authenticate data';
const SECRET = 'a secret key for tests, at least 32 characters';

describe('a password at rest', () => {
  test('opens again for its own connection', () => {
    const id = randomUUID();
    const { password } = newCredentials();
    expect(decryptPassword(SECRET, id, encryptPassword(SECRET, id, password))).toBe(password);
  });

  test('is never stored the same way twice', () => {
    const id = randomUUID();
    expect(encryptPassword(SECRET, id, 'same').equals(encryptPassword(SECRET, id, 'same'))).toBe(false);
  });

  test('does not open in the row of another connection, with another key, or changed', () => {
    const id = randomUUID();
    const encrypted = encryptPassword(SECRET, id, 'secret');
    const changed = Buffer.from(encrypted);
    changed[changed.length - 1]! ^= 1;
    expect(() => decryptPassword(SECRET, randomUUID(), encrypted)).toThrow(UNAUTHENTIC);
    expect(() => decryptPassword(`${SECRET}x`, id, encrypted)).toThrow(UNAUTHENTIC);
    expect(() => decryptPassword(SECRET, id, changed)).toThrow(UNAUTHENTIC);
    expect(() => decryptPassword(SECRET, id, Buffer.concat([Buffer.from([9]), encrypted.subarray(1)]))).toThrow(
      'no key 9',
    );
  });
});

test('a password is recognised by its hash, and no other is', () => {
  const hash = hashPassword(SECRET, 'right');
  expect(isPassword(SECRET, 'right', hash)).toBe(true);
  expect(isPassword(SECRET, 'Right', hash)).toBe(false);
  expect(isPassword(SECRET, '', hash)).toBe(false);
});

test('credentials are long, distinct, and need no quoting in a shell or an address', () => {
  const made = Array.from({ length: 200 }, newCredentials);
  expect(new Set(made.map(({ username }) => username)).size).toBe(200);
  for (const { username, password } of made) expect(username + password).toMatch(/^[a-z2-9]{39}$/);
});
