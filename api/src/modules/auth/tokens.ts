/** Random secrets, the access token (a JWT with user and session), and the token of a known device. */
import type { Tokens } from '@cellhop/contract/auth';
import { idSchema } from '@cellhop/contract/schemas';
import { jwtVerify, SignJWT, type JWTPayload } from 'jose';
import { createHash, randomBytes, createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { AccessClaims } from '../../http/actor.ts';
import { deriveKey, deriveKeys, type SecretKeys } from '../../secrets/keys.ts';

const ACCESS_TOKEN_SECONDS = 15 * 60;
const SECRET_BYTES = 32;
const ISSUER = 'cellhop';
const AUDIENCE = 'cellhop-api';

export interface Claims {
  userId: string;
  sessionId: string;
}

/** `act` names who acts for the subject (RFC 8693, section 4.1). */
const subjectSchema = z.object({
  sub: idSchema,
  sid: idSchema,
  exp: z.number(),
  act: z.object({ sub: idSchema }).optional(),
});

/** 256 random bits, for the codes in mails. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** A fast hash is enough for secrets of 256 random bits. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Deterministic: the same arguments return the same pair. */
export async function issueTokens(
  secretKeys: SecretKeys,
  { userId, sessionId }: Claims,
  refreshToken: string,
  issuedAt: Date,
): Promise<Tokens> {
  const expirySeconds = Math.floor(issuedAt.getTime() / 1000) + ACCESS_TOKEN_SECONDS;
  const accessToken = await sign(secretKeys, { sub: userId, sid: sessionId, exp: expirySeconds }, issuedAt);
  return { accessToken, refreshToken, expiredAccessTokenAt: expirySeconds * 1000 };
}

/** A token for a member of staff who sees the app as a user. */
export function issueViewToken(
  secretKeys: SecretKeys,
  { userId, sessionId, viewerId }: Claims & { viewerId: string },
  { startedAt, expiredAt }: { startedAt: Date; expiredAt: Date },
): Promise<string> {
  const exp = Math.floor(expiredAt.getTime() / 1000);
  return sign(secretKeys, { sub: userId, sid: sessionId, act: { sub: viewerId }, exp }, startedAt);
}

function sign(secretKeys: SecretKeys, claims: JWTPayload, issuedAt: Date): Promise<string> {
  return (
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setIssuedAt(Math.floor(issuedAt.getTime() / 1000))
      // Makes pairs issued within one second differ.
      .setJti(issuedAt.getTime().toString(36))
      .sign(deriveKey(secretKeys, 'access-token'))
  );
}

/** @returns undefined if no key of this shop has signed it as an access token */
export async function readAccessToken(secretKeys: SecretKeys, token: string): Promise<AccessClaims | undefined> {
  const payload = await verify(secretKeys, token);
  const subject = subjectSchema.safeParse(payload);
  if (!subject.success) return undefined;
  const { sub: userId, sid: sessionId, act, exp } = subject.data;
  const isExpired = exp * 1000 <= Date.now();
  return { userId, sessionId, isExpired, ...(act && { viewerId: act.sub }) };
}

/** Verifies the signature, regardless of the expiry. @returns undefined if no key verifies it */
async function verify(secretKeys: SecretKeys, token: string): Promise<JWTPayload | undefined> {
  for (const key of deriveKeys(secretKeys, 'access-token')) {
    try {
      const options = {
        algorithms: ['HS256'],
        issuer: ISSUER,
        audience: AUDIENCE,
        currentDate: new Date(0),
        requiredClaims: ['exp'],
      };
      return (await jwtVerify(token, key, options)).payload;
    } catch {
      // Another key may have signed it.
    }
  }
  return undefined;
}

const DEVICE_ID_BYTES = 16;
const DEVICE_TOKEN_PATTERN = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

interface DeviceOwner {
  userId: string;
  passwordHash: string;
}

/**
 * A client that has signed in gets a device token, which exempts it from limits that attackers have used up. The token is an HMAC over
 * the password hash, so a new password invalidates all of them.
 */
export function newDeviceToken(secretKeys: SecretKeys, owner: DeviceOwner): string {
  const id = randomBytes(DEVICE_ID_BYTES).toString('base64url');
  return `${id}.${computeMac(deriveKey(secretKeys, 'device-token'), owner, id).toString('base64url')}`;
}

/** @returns the device's id; undefined if the token is invalid for this account and its current password */
export function readDeviceToken(secretKeys: SecretKeys, owner: DeviceOwner, token: string): string | undefined {
  const [, id, mac] = DEVICE_TOKEN_PATTERN.exec(token) ?? [];
  if (id === undefined || mac === undefined) return undefined;
  const presented = Buffer.from(mac, 'base64url');
  const isGenuine = deriveKeys(secretKeys, 'device-token').some((key) =>
    timingSafeEqual(computeMac(key, owner, id), presented),
  );
  return isGenuine ? id : undefined;
}

function computeMac(key: Buffer, { userId, passwordHash }: DeviceOwner, id: string): Buffer {
  return createHmac('sha256', key).update(`${userId}\n${id}\n${passwordHash}`).digest();
}
