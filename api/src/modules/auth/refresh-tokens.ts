/**
 * Refresh tokens have the form `n.HMAC(key, session id, n, salt)`, where n is the generation within the session. So one HMAC verifies
 * whether a token ever belonged to the session, and the successor of a token can be computed again without storing it. The database has the hash
 * of the current one.
 *
 * Legacy tokens have no generation; each is the HMAC of its parent. They are replaced at the next refresh.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { deriveKey, deriveKeys, type SecretKeys } from '../../secrets/keys.ts';
import { hashSecret } from './tokens.ts';

const SALT_BYTES = 16;
const TOKEN_PATTERN = /^([1-9]\d{0,8})\.([A-Za-z0-9_-]{43})$/;
const LEGACY_TOKEN_PATTERN = /^[A-Za-z0-9_-]{43}$/;
/** Bounds the cost of an invalid legacy token: reuse is detected for the last four hours. */
const LEGACY_STEPS_MAX = 16;

export interface RefreshState {
  sessionId: string;
  generation: number;
  /** Null while the session has only had legacy tokens. */
  refreshSalt: Buffer | null;
  refreshTokenHash: Buffer;
  previousTokenHash: Buffer | null;
  /** The last legacy token, once it was replaced. */
  legacyTokenHash: Buffer | null;
}

export interface NextToken {
  token: string;
  hash: Buffer;
  generation: number;
  salt: Buffer;
  /** The hash of the replaced token, if that was a legacy one. */
  legacyTokenHash: Buffer | null;
}

export function firstRefreshToken(secretKeys: SecretKeys, sessionId: string): NextToken {
  return makeToken(secretKeys, sessionId, 1, randomBytes(SALT_BYTES), null);
}

/** The successor of the session's current token. */
export function nextRefreshToken(secretKeys: SecretKeys, state: RefreshState, current: string): NextToken {
  const { sessionId, generation, refreshSalt } = state;
  const legacyTokenHash = TOKEN_PATTERN.test(current) ? state.legacyTokenHash : hashSecret(current);
  return makeToken(secretKeys, sessionId, generation + 1, refreshSalt ?? randomBytes(SALT_BYTES), legacyTokenHash);
}

/** Computes the session's current token again from its parent, whether this or the previous version created it. */
export function repeatRefreshToken(secretKeys: SecretKeys, state: RefreshState, parent: string): string | undefined {
  const { sessionId, generation, refreshSalt } = state;
  const candidates = [
    ...(refreshSalt
      ? macsOf(secretKeys, sessionId, generation, refreshSalt).map((mac) => toText(generation, mac))
      : []),
    ...deriveKeys(secretKeys, 'refresh-token').map((key) => legacyChild(key, parent)),
  ];
  return candidates.find((candidate) => hashSecret(candidate).equals(state.refreshTokenHash));
}

/**
 * Whether this is or was a token of the session. Tokens that never were do not count as reuse. Costs one HMAC per key, and a few
 * more for a legacy token.
 */
export function isTokenOfSession(secretKeys: SecretKeys, state: RefreshState, token: string): boolean {
  const [, number, mac] = TOKEN_PATTERN.exec(token) ?? [];
  if (number === undefined || mac === undefined) return isLegacyToken(secretKeys, state, token);
  if (!state.refreshSalt) return false;
  const presented = Buffer.from(mac, 'base64url');
  return macsOf(secretKeys, state.sessionId, Number(number), state.refreshSalt).some((mac) =>
    timingSafeEqual(mac, presented),
  );
}

function isLegacyToken(secretKeys: SecretKeys, state: RefreshState, token: string): boolean {
  if (!LEGACY_TOKEN_PATTERN.test(token)) return false;
  const known = [state.refreshTokenHash, state.previousTokenHash, state.legacyTokenHash].filter(
    (hash) => hash !== null,
  );
  return deriveKeys(secretKeys, 'refresh-token').some((key) => {
    let descendant = token;
    for (let step = 0; step <= LEGACY_STEPS_MAX; step++) {
      const hash = hashSecret(descendant);
      if (known.some((each) => each.equals(hash))) return true;
      descendant = legacyChild(key, descendant);
    }
    return false;
  });
}

/** How the previous version derived a token from its parent. */
function legacyChild(key: Buffer, parent: string): string {
  return createHmac('sha256', key).update(parent).digest('base64url');
}

function makeToken(
  secretKeys: SecretKeys,
  sessionId: string,
  generation: number,
  salt: Buffer,
  legacyTokenHash: Buffer | null,
): NextToken {
  const key = deriveKey(secretKeys, 'refresh-generation');
  const token = toText(generation, computeMac(key, sessionId, generation, salt));
  return { token, hash: hashSecret(token), generation, salt, legacyTokenHash };
}

function macsOf(secretKeys: SecretKeys, sessionId: string, generation: number, salt: Buffer): Buffer[] {
  return deriveKeys(secretKeys, 'refresh-generation').map((key) => computeMac(key, sessionId, generation, salt));
}

function computeMac(key: Buffer, sessionId: string, generation: number, salt: Buffer): Buffer {
  return createHmac('sha256', key).update(`${sessionId}\n${generation}\n`).update(salt).digest();
}

function toText(generation: number, mac: Buffer): string {
  return `${generation}.${mac.toString('base64url')}`;
}
