import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { SecretKeys } from '../../secrets/keys.ts';
import {
  firstRefreshToken,
  isTokenOfSession,
  nextRefreshToken,
  repeatRefreshToken,
  type NextToken,
  type RefreshState,
} from './refresh-tokens.ts';
import { hashSecret, newSecret } from './tokens.ts';

const KEYS: SecretKeys = ['a secret key for tests of at least 32 characters'];
const RING: SecretKeys = ['a newer secret key', ...KEYS];
const sessionId = randomUUID();

/** The row after the token was created. */
const stateOf = ({ generation, salt, hash }: NextToken, parent?: string): RefreshState => ({
  sessionId,
  generation,
  refreshSalt: salt,
  refreshTokenHash: hash,
  previousTokenHash: parent === undefined ? null : hashSecret(parent),
});

describe('a refresh token', () => {
  test('contains its generation, and is recognized after any number of successors', () => {
    const first = firstRefreshToken(KEYS, sessionId);
    expect(first.token).toMatch(/^1\.[A-Za-z0-9_-]{43}$/);
    let [state, last] = [stateOf(first), first.token];
    for (let round = 0; round < 100; round++) {
      const next = nextRefreshToken(KEYS, state);
      [state, last] = [stateOf(next, last), next.token];
    }
    expect(last).toMatch(/^101\./);
    for (const token of [first.token, last]) expect(isTokenOfSession(KEYS, state, token)).toBe(true);
  });

  test('of another session or generation, modified or malformed is invalid', () => {
    const own = firstRefreshToken(KEYS, sessionId);
    const state = stateOf(own);
    // From another sign-in with another salt.
    const { token } = firstRefreshToken(KEYS, sessionId);
    const proof = token.slice(2);
    for (const stranger of [token, `2.${proof}`, `01.${proof}`, `9999999999.${proof}`, `-1.${proof}`, newSecret(), ''])
      expect(isTokenOfSession(KEYS, state, stranger)).toBe(false);
    expect(isTokenOfSession(KEYS, { ...state, sessionId: randomUUID() }, own.token)).toBe(false);
  });

  test('is recognized with every key of the key ring, and has the same successor after key rotation', () => {
    const first = firstRefreshToken(KEYS, sessionId);
    expect(isTokenOfSession(RING, stateOf(first), first.token)).toBe(true);
    const child = nextRefreshToken(KEYS, stateOf(first));
    expect(repeatRefreshToken(RING, stateOf(child, first.token))).toBe(child.token);
    expect(isTokenOfSession(['another secret key'], stateOf(first), first.token)).toBe(false);
  });
});
