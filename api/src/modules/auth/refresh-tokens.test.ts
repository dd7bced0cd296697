import { createHmac, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { deriveKey, type SecretKeys } from '../../secrets/keys.ts';
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

/** How the previous version derived a token from its parent. */
const legacyChild = (parent: string) =>
  createHmac('sha256', deriveKey(KEYS, 'refresh-token')).update(parent).digest('base64url');
const legacyState = (token: string): RefreshState => ({
  sessionId,
  generation: 0,
  refreshSalt: null,
  refreshTokenHash: hashSecret(token),
  previousTokenHash: null,
  legacyTokenHash: null,
});
/** The row after the token was created. */
const stateOf = ({ generation, salt, hash, legacyTokenHash }: NextToken, parent?: string): RefreshState => ({
  sessionId,
  generation,
  refreshSalt: salt,
  refreshTokenHash: hash,
  previousTokenHash: parent === undefined ? null : hashSecret(parent),
  legacyTokenHash,
});

describe('a refresh token', () => {
  test('contains its generation, and is recognized after any number of successors', () => {
    const first = firstRefreshToken(KEYS, sessionId);
    expect(first.token).toMatch(/^1\.[A-Za-z0-9_-]{43}$/);
    let [state, last] = [stateOf(first), first.token];
    for (let round = 0; round < 100; round++) {
      const next = nextRefreshToken(KEYS, state, last);
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
    const child = nextRefreshToken(KEYS, stateOf(first), first.token);
    expect(repeatRefreshToken(RING, stateOf(child, first.token), first.token)).toBe(child.token);
    expect(isTokenOfSession(['another secret key'], stateOf(first), first.token)).toBe(false);
  });
});

describe('a legacy refresh token', () => {
  test('is replaced at its next use, and recognized as used from then on', () => {
    const [parent, stranger] = [newSecret(), legacyChild('x')];
    const child = legacyChild(parent);
    const next = nextRefreshToken(KEYS, legacyState(child), child);
    expect(next.token).toMatch(/^1\./);
    const third = nextRefreshToken(KEYS, stateOf(next, child), next.token);
    const state = stateOf(third, next.token);
    for (const spent of [parent, child, next.token]) expect(isTokenOfSession(KEYS, state, spent)).toBe(true);
    expect(isTokenOfSession(KEYS, state, stranger)).toBe(false);
  });

  test('is recognized up to sixteen steps back', () => {
    let token = newSecret();
    const tokens = [token];
    for (let step = 0; step < 20; step++) tokens.push((token = legacyChild(token)));
    const state = legacyState(token);
    expect(tokens.map((each) => isTokenOfSession(KEYS, state, each))).toEqual(tokens.map((_, index) => index >= 4));
  });

  test('that a process of the previous version derived from a new one is returned again for the same parent', () => {
    const first = firstRefreshToken(KEYS, sessionId);
    const child = legacyChild(first.token);
    // That process only writes the two hashes.
    const state = {
      ...stateOf(first),
      refreshTokenHash: hashSecret(child),
      previousTokenHash: hashSecret(first.token),
    };
    expect(isTokenOfSession(KEYS, state, child)).toBe(true);
    expect(repeatRefreshToken(KEYS, state, first.token)).toBe(child);
    const next = nextRefreshToken(KEYS, state, child);
    expect(next.token).toMatch(/^2\./);
    expect(isTokenOfSession(KEYS, stateOf(next, child), child)).toBe(true);
  });
});
