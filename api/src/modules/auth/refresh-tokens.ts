/**
 * Refresh tokens. Each names its generation within its session: `n.HMAC(key, session id, n, salt)`. So one keyed hash tells
 * whether a token was ever one of the session's, and the child of a token can be given again without storing it. What is stored
 * is the hash of the current one.
 *
 * Tokens of the version before name no generation; each is the keyed hash of its parent. A session that has one gets a new token at
 * its next refresh.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { deriveKey, deriveKeys, type SecretKeys } from '../../keys.ts';
import { hashSecret } from './tokens.ts';

const SALT_BYTES = 16;
const TOKEN_PATTERN = /^([1-9]\d{0,8})\.([A-Za-z0-9_-]{43})$/;
const LEGACY_TOKEN_PATTERN = /^[A-Za-z0-9_-]{43}$/;
/** What a guess of the old form may cost: reuse is noticed up to four hours back, which is all that is ever needed. */
const LEGACY_STEPS_MAX = 16;

export interface RefreshState {
  sessionId: string;
  generation: number;
  /** Null as long as the session has had tokens of the old form alone. */
  refreshSalt: Buffer | null;
  refreshTokenHash: Buffer;
  previousTokenHash: Buffer | null;
  /** The last token of the old form, once there was a new one. */
  legacyTokenHash: Buffer | null;
}

export interface NextToken {
  token: string;
  hash: Buffer;
  generation: number;
  salt: Buffer;
  /** Of the token that it replaces, if that had the old form. */
  legacyTokenHash: Buffer | null;
}

export function firstRefreshToken(secretKeys: SecretKeys, sessionId: string): NextToken {
  return makeToken(secretKeys, sessionId, 1, randomBytes(SALT_BYTES), null);
}

/** What follows the session's current token. */
export function nextRefreshToken(secretKeys: SecretKeys, state: RefreshState, current: string): NextToken {
  const { sessionId, generation, refreshSalt } = state;
  const legacyTokenHash = TOKEN_PATTERN.test(current) ? state.legacyTokenHash : hashSecret(current);
  return makeToken(secretKeys, sessionId, generation + 1, refreshSalt ?? randomBytes(SALT_BYTES), legacyTokenHash);
}

/** The session's current token, which was made of its parent a moment ago, by this version or by the one before. */
export function repeatRefreshToken(secretKeys: SecretKeys, state: RefreshState, parent: string): string | undefined {
  const { sessionId, generation, refreshSalt } = state;
  const candidates = [
    ...(refreshSalt ? proofs(secretKeys, sessionId, generation, refreshSalt).map((it) => toText(generation, it)) : []),
    ...deriveKeys(secretKeys, 'refresh-token').map((key) => legacyChild(key, parent)),
  ];
  return candidates.find((candidate) => hashSecret(candidate).equals(state.refreshTokenHash));
}

/**
 * Is it, or was it once, a token of this session? What was never one is a guess or a mistake, and no reason for alarm.
 * Costs one keyed hash for each key; a few more for a token of the old form.
 */
export function isTokenOfSession(secretKeys: SecretKeys, state: RefreshState, token: string): boolean {
  const [, number, proof] = TOKEN_PATTERN.exec(token) ?? [];
  if (number === undefined || proof === undefined) return isLegacyToken(secretKeys, state, token);
  if (!state.refreshSalt) return false;
  const presented = Buffer.from(proof, 'base64url');
  return proofs(secretKeys, state.sessionId, Number(number), state.refreshSalt).some((it) =>
    timingSafeEqual(it, presented),
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

/** How the version before made each token of its parent. */
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
  const token = toText(generation, prove(key, sessionId, generation, salt));
  return { token, hash: hashSecret(token), generation, salt, legacyTokenHash };
}

function proofs(secretKeys: SecretKeys, sessionId: string, generation: number, salt: Buffer): Buffer[] {
  return deriveKeys(secretKeys, 'refresh-generation').map((key) => prove(key, sessionId, generation, salt));
}

function prove(key: Buffer, sessionId: string, generation: number, salt: Buffer): Buffer {
  return createHmac('sha256', key).update(`${sessionId}\n${generation}\n`).update(salt).digest();
}

function toText(generation: number, proof: Buffer): string {
  return `${generation}.${proof.toString('base64url')}`;
}
