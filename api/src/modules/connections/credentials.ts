/**
 * A connection's username and password. They are made here, never chosen, so the password is random enough (130 bits)
 * to be checked with one keyed hash instead of a slow password hash at each tunnel.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { deriveKey } from '../../keys.ts';
import { seal, unseal } from '../../sealing.ts';

export interface Credentials {
  username: string;
  password: string;
}

/** Lower case without look-alikes, and nothing that a shell or an address would have to quote. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const USERNAME_LENGTH = 12;
const PASSWORD_LENGTH = 27;

export function newCredentials(): Credentials {
  const text = randomText(USERNAME_LENGTH + PASSWORD_LENGTH);
  return { username: text.slice(0, USERNAME_LENGTH), password: text.slice(USERNAME_LENGTH) };
}

/**
 * Each character is equally likely: five random bits that name none are thrown away. Bytes are drawn once, with some to
 * spare: to draw costs more than how many.
 */
function randomText(length: number): string {
  let text = '';
  while (text.length < length) for (const byte of randomBytes(2 * length)) text += ALPHABET[byte & 31] ?? '';
  return text.slice(0, length);
}

/** The connection's id is authenticated with it: a password copied into another row does not open. */
export function encryptPassword(secretKey: string, connectionId: string, password: string): Buffer {
  return seal(encryptionKey(secretKey), connectionId, password);
}

/** @throws Error if the row was made with another key or for another connection */
export function decryptPassword(secretKey: string, connectionId: string, encrypted: Buffer): string {
  return unseal(encryptionKey(secretKey), connectionId, encrypted);
}

export function hashPassword(secretKey: string, password: string): Buffer {
  return createHmac('sha256', deriveKey(secretKey, 'proxy-password-check')).update(password).digest();
}

/** In constant time. */
export function isPassword(secretKey: string, password: string, hash: Buffer): boolean {
  return timingSafeEqual(hashPassword(secretKey, password), hash);
}

function encryptionKey(secretKey: string): Buffer {
  return deriveKey(secretKey, 'proxy-password-encryption');
}
