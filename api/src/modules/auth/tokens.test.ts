import { SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { deriveKey } from '../../keys.ts';
import {
  hashSecret,
  isAncestor,
  issueTokens,
  newSecret,
  nextRefreshToken,
  readAccessToken,
  readExpiredAccessToken,
} from './tokens.ts';

const SECRET = 'a secret key for tests, at least 32 characters';
const claims = { userId: '1b4e28ba-2fa1-41d2-883f-0016d3cca427', sessionId: '6ba7b810-9dad-41d1-80b4-00c04fd430c8' };
const issue = (ms: number) => issueTokens(SECRET, claims, 'r', new Date(1_800_000_000_000 + ms));
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

describe('access tokens', () => {
  test('live for 15 minutes', async () => {
    const fresh = await issueTokens(SECRET, claims, newSecret(), minutesAgo(14));
    expect(await readAccessToken(SECRET, fresh.accessToken)).toEqual(claims);
    const issuedAt = minutesAgo(16);
    const stale = await issueTokens(SECRET, claims, newSecret(), issuedAt);
    expect(stale.expiredAccessTokenAt).toBe((Math.floor(issuedAt.getTime() / 1000) + 900) * 1000);
    expect(await readAccessToken(SECRET, stale.accessToken)).toBeUndefined();
    expect(await readExpiredAccessToken(SECRET, stale.accessToken)).toEqual(claims);
  });

  test('of another key, without a signature or without a session are refused', async () => {
    const { accessToken } = await issueTokens(`${SECRET}!`, claims, newSecret(), new Date());
    const key = deriveKey(SECRET, 'access-token');
    const [header, payload] = accessToken.split('.') as [string, string];
    const unsigned = Buffer.from('{"alg":"none"}').toString('base64url');
    const tokens = [
      accessToken,
      `${header}.${payload}.`,
      `${unsigned}.${payload}.`,
      'a.b.c',
      '',
      await new SignJWT({}).setProtectedHeader({ alg: 'HS256' }).setSubject(claims.userId).sign(key),
      await new SignJWT({ sid: claims.sessionId }).setProtectedHeader({ alg: 'HS512' }).setSubject('x').sign(key),
    ];
    for (const token of tokens) expect(await readExpiredAccessToken(SECRET, token)).toBeUndefined();
  });

  test('of the same moment are the same, of the next millisecond another', async () => {
    expect(await issue(5)).toEqual(await issue(5));
    expect((await issue(5)).accessToken).not.toBe((await issue(6)).accessToken);
  });
});

describe('refresh tokens', () => {
  test('have one child, and ancestors that are recognised', () => {
    const first = newSecret();
    let last = first;
    for (let step = 0; step < 100; step++) last = nextRefreshToken(SECRET, last);
    const current = hashSecret(last);
    expect(nextRefreshToken(SECRET, first)).toBe(nextRefreshToken(SECRET, first));
    expect(isAncestor(SECRET, first, current)).toBe(true);
    expect(isAncestor(SECRET, last, current)).toBe(false);
    for (const stranger of [newSecret(), '', 'x'.repeat(2000)])
      expect(isAncestor(SECRET, stranger, current)).toBe(false);
  });
});
