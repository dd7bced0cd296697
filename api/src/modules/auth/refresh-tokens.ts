/**
 * Refresh tokens have the form `n.HMAC(key, session id, n, salt)`, where n is the generation within the session. So one HMAC verifies
 * whether a token ever belonged to the session, and the successor of a token can be computed again without storing it. The database has the hash
 * of the current one.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { deriveKey, deriveKeys, type SecretKeys } from '../../secrets/keys.ts';
import { hashSecret } from './tokens.ts';

const SALT_BYTES = 16;
const TOKEN_PATTERN = /^([1-9]\d{0,8})\.([A-Za-z0-9_-]{43})$/;

export interface RefreshState {
  sessionId: string;
  generation: number;
  refreshSalt: Buffer;
  refreshTokenHash: Buffer;
  previousTokenHash: Buffer | null;
}

export interface NextToken {
  token: string;
  hash: Buffer;
  generation: number;
  salt: Buffer;
}

export function firstRefreshToken(secretKeys: SecretKeys, sessionId: string): NextToken {
  return makeToken(secretKeys, sessionId, 1, randomBytes(SALT_BYTES));
}

/** The successor of the session's current token. */
export function nextRefreshToken(
  secretKeys: SecretKeys,
  { sessionId, generation, refreshSalt }: RefreshState,
): NextToken {
  return makeToken(secretKeys, sessionId, generation + 1, refreshSalt);
}

/** Computes the session's current token again. @returns undefined if no key of the key ring created it */
export function repeatRefreshToken(secretKeys: SecretKeys, state: RefreshState): string | undefined {
  const { sessionId, generation, refreshSalt, refreshTokenHash } = state;
  return toMacs(secretKeys, sessionId, generation, refreshSalt)
    .map((mac) => toText(generation, mac))
    .find((candidate) => hashSecret(candidate).equals(refreshTokenHash));
}

/** Whether this is or was a token of the session. Tokens that never were do not count as reuse. Costs one HMAC per key. */
export function isTokenOfSession(
  secretKeys: SecretKeys,
  { sessionId, refreshSalt }: RefreshState,
  token: string,
): boolean {
  const [, number, mac] = TOKEN_PATTERN.exec(token) ?? [];
  if (number === undefined || mac === undefined) return false;
  const presented = Buffer.from(mac, 'base64url');
  return toMacs(secretKeys, sessionId, Number(number), refreshSalt).some((mac) => timingSafeEqual(mac, presented));
}

/** Of a token of the session. */
export function generationOf(token: string): number {
  return Number(TOKEN_PATTERN.exec(token)?.[1]);
}

function makeToken(secretKeys: SecretKeys, sessionId: string, generation: number, salt: Buffer): NextToken {
  const key = deriveKey(secretKeys, 'refresh-generation');
  const token = toText(generation, computeMac(key, sessionId, generation, salt));
  return { token, hash: hashSecret(token), generation, salt };
}

function toMacs(secretKeys: SecretKeys, sessionId: string, generation: number, salt: Buffer): Buffer[] {
  return deriveKeys(secretKeys, 'refresh-generation').map((key) => computeMac(key, sessionId, generation, salt));
}

function computeMac(key: Buffer, sessionId: string, generation: number, salt: Buffer): Buffer {
  return createHmac('sha256', key).update(`${sessionId}\n${generation}\n`).update(salt).digest();
}

function toText(generation: number, mac: Buffer): string {
  return `${generation}.${mac.toString('base64url')}`;
}
