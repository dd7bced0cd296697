import { SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { deriveKey, type SecretKeys } from '../../secrets/keys.ts';
import { issueTokens, newSecret, readAccessToken } from './tokens.ts';

const SECRET: SecretKeys = ['a secret key for tests of at least 32 characters'];
const claims = { userId: '1b4e28ba-2fa1-41d2-883f-0016d3cca427', sessionId: '6ba7b810-9dad-41d1-80b4-00c04fd430c8' };
const issue = (ms: number) => issueTokens(SECRET, claims, 'r', new Date(1_800_000_000_000 + ms));
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
/** A validly signed token with any claims. */
const signed = (payload: Record<string, unknown>, alg = 'HS256') =>
  new SignJWT({ sub: claims.userId, sid: claims.sessionId, ...payload })
    .setProtectedHeader({ alg })
    .sign(deriveKey(SECRET, 'access-token'));
const exp = Math.floor(Date.now() / 1000) + 600;
const [iss, aud] = ['cellhop', 'cellhop-api'];

describe('access tokens', () => {
  test('expire after 15 minutes', async () => {
    const fresh = await issueTokens(SECRET, claims, newSecret(), minutesAgo(14));
    expect(await readAccessToken(SECRET, fresh.accessToken)).toEqual({ ...claims, isExpired: false });
    const issuedAt = minutesAgo(16);
    const stale = await issueTokens(SECRET, claims, newSecret(), issuedAt);
    expect(stale.expiredAccessTokenAt).toBe((Math.floor(issuedAt.getTime() / 1000) + 900) * 1000);
    expect(await readAccessToken(SECRET, stale.accessToken)).toEqual({ ...claims, isExpired: true });
  });

  test('of another key, without a signature or with another algorithm are refused', async () => {
    const { accessToken } = await issueTokens([`${SECRET[0]}!`], claims, newSecret(), new Date());
    const [header, payload] = accessToken.split('.') as [string, string];
    const unsigned = Buffer.from('{"alg":"none"}').toString('base64url');
    const tokens = [
      accessToken,
      `${header}.${payload}.`,
      `${unsigned}.${payload}.`,
      'a.b.c',
      '',
      await signed({ exp, iss, aud }, 'HS512'),
    ];
    for (const token of tokens) expect(await readAccessToken(SECRET, token)).toBeUndefined();
  });

  test('require an expiry, issuer, audience, and the ids of user and session', async () => {
    expect(await readAccessToken(SECRET, await signed({ exp, iss, aud }))).toMatchObject(claims);
    const wrong = [
      { iss, aud },
      { exp, aud },
      { exp },
      { exp, iss },
      { exp, iss, aud: 'another' },
      { exp, iss: 'another', aud },
      { exp, iss, aud, sub: 'root' },
      { exp, iss, aud, sub: undefined },
      { exp, iss, aud, sid: '1' },
      { exp, iss, aud, sid: undefined },
    ];
    for (const payload of wrong) {
      const token = await signed(payload);
      expect(await readAccessToken(SECRET, token)).toBeUndefined();
    }
  });

  test('are verified with every key of the key ring, and signed with the newest', async () => {
    const before = await issueTokens(SECRET, claims, 'r', new Date());
    const ring: SecretKeys = ['a newer secret', ...SECRET];
    expect(await readAccessToken(ring, before.accessToken)).toMatchObject(claims);
    const after = await issueTokens(ring, claims, 'r', new Date());
    expect(await readAccessToken(['a newer secret'], after.accessToken)).toMatchObject(claims);
    expect(await readAccessToken(['a newer secret'], before.accessToken)).toBeUndefined();
  });

  test('of the same millisecond are equal, of the next one differ', async () => {
    expect(await issue(5)).toEqual(await issue(5));
    expect((await issue(5)).accessToken).not.toBe((await issue(6)).accessToken);
  });
});
