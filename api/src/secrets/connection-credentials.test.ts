import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  decryptPassword,
  encryptPassword,
  hashPassword,
  isPassword,
  newCredentials,
} from './connection-credentials.ts';

const SECRET = 'a secret key for tests of at least 32 characters';
const KEYS = [SECRET] as const;
/** After key rotation, and after the old key was removed. */
const [ROTATED, NEWEST_ALONE] = [['a newer secret', SECRET] as const, ['a newer secret'] as const];

describe('a password at rest', () => {
  test('decrypts for its own connection', () => {
    const id = randomUUID();
    const { password } = newCredentials();
    expect(decryptPassword(KEYS, id, encryptPassword(KEYS, id, password))?.secret).toBe(password);
  });

  test('has a different ciphertext each time', () => {
    const id = randomUUID();
    expect(encryptPassword(KEYS, id, 'same').equals(encryptPassword(KEYS, id, 'same'))).toBe(false);
  });

  test('decrypts with an older key, which is reported, and is encrypted with the newest', () => {
    const id = randomUUID();
    expect(decryptPassword(ROTATED, id, encryptPassword(KEYS, id, 'secret'))).toEqual({
      secret: 'secret',
      keyIndex: 1,
    });
    const sealed = encryptPassword(ROTATED, id, 'secret');
    expect(decryptPassword(NEWEST_ALONE, id, sealed)).toEqual({ secret: 'secret', keyIndex: 0 });
  });

  test('does not decrypt in the row of another connection, with another key, modified, or truncated', () => {
    const id = randomUUID();
    const encrypted = encryptPassword(KEYS, id, 'secret');
    const changed = Buffer.from(encrypted);
    changed[changed.length - 1]! ^= 1;
    expect(decryptPassword(KEYS, randomUUID(), encrypted)).toBeUndefined();
    expect(decryptPassword(NEWEST_ALONE, id, encrypted)).toBeUndefined();
    for (const wrong of [
      changed,
      Buffer.concat([Buffer.from([9]), encrypted.subarray(1)]),
      encrypted.subarray(0, 20),
      Buffer.alloc(0),
    ])
      expect(decryptPassword(KEYS, id, wrong)).toBeUndefined();
  });
});

test('a password matches its hash with any key; others do not match', () => {
  const hash = hashPassword(KEYS, 'right');
  expect(isPassword(KEYS, 'right', hash)).toBe(true);
  expect(isPassword(ROTATED, 'right', hash)).toBe(true);
  expect(isPassword(NEWEST_ALONE, 'right', hash)).toBe(false);
  expect(isPassword(KEYS, 'Right', hash)).toBe(false);
  expect(isPassword(KEYS, '', hash)).toBe(false);
});

test('credentials are long, distinct, and need no quoting in a shell or a URL', () => {
  const made = Array.from({ length: 200 }, newCredentials);
  expect(new Set(made.map(({ username }) => username)).size).toBe(200);
  for (const { username, password } of made) expect(username + password).toMatch(/^[a-z2-9]{39}$/);
});
