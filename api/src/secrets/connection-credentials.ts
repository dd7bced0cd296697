/**
 * The username and password of a connection. They are generated, never chosen, so the password is random enough (130 bits)
 * for a fast keyed hash instead of a slow password hash on each tunnel.
 */
import { createHmac, randomBytes, timingSafeEqual, randomUUID } from 'node:crypto';
import { deriveKey, deriveKeys, type SecretKeys } from './keys.ts';
import { seal, tryUnseal, type Opened } from './sealing.ts';

/** Key derivation contexts. */
const ENCRYPTION = 'proxy-password-encryption';
const CHECK = 'proxy-password-check';

export interface Credentials {
  username: string;
  password: string;
}

/** Lower case without look-alikes, and nothing that needs quoting in a shell or a URL. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const USERNAME_LENGTH = 12;
const PASSWORD_LENGTH = 27;

export function newCredentials(): Credentials {
  const text = randomText(USERNAME_LENGTH + PASSWORD_LENGTH);
  return { username: text.slice(0, USERNAME_LENGTH), password: text.slice(USERNAME_LENGTH) };
}

/**
 * Each character is equally likely: values of five random bits beyond the alphabet are discarded. Twice the needed bytes are
 * generated at once, because the cost is per call rather than per byte.
 */
function randomText(length: number): string {
  let text = '';
  while (text.length < length) for (const byte of randomBytes(2 * length)) text += ALPHABET[byte & 31] ?? '';
  return text.slice(0, length);
}

/** Authenticates the connection's id too, so a ciphertext copied into another row does not decrypt. */
export function encryptPassword(secretKeys: SecretKeys, connectionId: string, password: string): Buffer {
  return seal(deriveKey(secretKeys, ENCRYPTION), connectionId, password);
}

/** @returns undefined if the key was removed or the ciphertext belongs to another connection */
export function decryptPassword(secretKeys: SecretKeys, connectionId: string, encrypted: Buffer): Opened | undefined {
  return tryUnseal(encryptionKeys(secretKeys), connectionId, encrypted);
}

export function encryptionKeys(secretKeys: SecretKeys): readonly Buffer[] {
  return deriveKeys(secretKeys, ENCRYPTION);
}

export function hashPassword(secretKeys: SecretKeys, password: string): Buffer {
  return hashWith(deriveKey(secretKeys, CHECK), password);
}

/** Compares in constant time. */
export function isPassword(secretKeys: SecretKeys, password: string, hash: Buffer): boolean {
  return deriveKeys(secretKeys, CHECK).some((key) => timingSafeEqual(hashWith(key, password), hash));
}

function hashWith(key: Buffer, password: string): Buffer {
  return createHmac('sha256', key).update(password).digest();
}

/**
 * A UUID version 7 (RFC 9562): a timestamp followed by random bits, so new connections are adjacent in every index. Random ids
 * would touch a separate index page each, which is most of what a purchase writes at a million connections.
 */
export function newConnectionId(nowMs = Date.now()): string {
  const time = nowMs.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
