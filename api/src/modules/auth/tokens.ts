/** Random secrets, and the access token: a JWT with user and session. */
import type { Tokens } from '@cellhop/contract/auth';
import { idSchema } from '@cellhop/contract/schemas';
import { jwtVerify, SignJWT, type JWTPayload } from 'jose';
import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { deriveKey, deriveKeys, type SecretKeys } from '../../keys.ts';

const ACCESS_TOKEN_SECONDS = 15 * 60;
const SECRET_BYTES = 32;
const ISSUER = 'cellhop';
const AUDIENCE = 'cellhop-api';

export interface Claims {
  userId: string;
  sessionId: string;
}

export interface AccessClaims extends Claims {
  /** Created by the previous version, without issuer and audience. Only valid for sessions of that version. */
  isLegacy: boolean;
}

const subjectSchema = z.object({ sub: idSchema, sid: idSchema });

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
  const issuedSeconds = Math.floor(issuedAt.getTime() / 1000);
  const expirySeconds = issuedSeconds + ACCESS_TOKEN_SECONDS;
  const accessToken = await new SignJWT({ sid: sessionId })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setSubject(userId)
    .setIssuedAt(issuedSeconds)
    .setExpirationTime(expirySeconds)
    // Makes pairs issued within one second differ.
    .setJti(issuedAt.getTime().toString(36))
    .sign(deriveKey(secretKeys, 'access-token'));
  return { accessToken, refreshToken, expiredAccessTokenAt: expirySeconds * 1000 };
}

/** @returns undefined for an invalid or expired token */
export function readAccessToken(secretKeys: SecretKeys, token: string): Promise<AccessClaims | undefined> {
  return readClaims(secretKeys, token, new Date());
}

/** For token refresh: verifies the signature but ignores the expiry. */
export function readExpiredAccessToken(secretKeys: SecretKeys, token: string): Promise<AccessClaims | undefined> {
  return readClaims(secretKeys, token, new Date(0));
}

async function readClaims(secretKeys: SecretKeys, token: string, currentDate: Date): Promise<AccessClaims | undefined> {
  const payload = await verify(secretKeys, token, currentDate);
  const subject = subjectSchema.safeParse(payload);
  if (!payload || !subject.success) return undefined;
  const isLegacy = payload.iss === undefined && payload.aud === undefined;
  if (!isLegacy && (payload.iss !== ISSUER || payload.aud !== AUDIENCE)) return undefined;
  return { userId: subject.data.sub, sessionId: subject.data.sid, isLegacy };
}

/** @returns undefined if no key verifies the signature, or if the token is not valid at that time */
async function verify(secretKeys: SecretKeys, token: string, currentDate: Date): Promise<JWTPayload | undefined> {
  for (const key of deriveKeys(secretKeys, 'access-token')) {
    try {
      const options = { algorithms: ['HS256'], currentDate, requiredClaims: ['exp'] };
      return (await jwtVerify(token, key, options)).payload;
    } catch {
      // Another key may have signed it.
    }
  }
  return undefined;
}
