/**
 * A connection's username and password. They are made here, never chosen, so the password is random enough (130 bits)
 * to be checked with one keyed hash instead of a slow password hash at each tunnel.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { deriveKey } from '../../keys.ts';

export interface Credentials {
  username: string;
  password: string;
}

/** Lower case without look-alikes, and nothing that a shell or an address would have to quote. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const USERNAME_LENGTH = 12;
const PASSWORD_LENGTH = 27;

export function newCredentials(): Credentials {
  return { username: randomText(USERNAME_LENGTH), password: randomText(PASSWORD_LENGTH) };
}

function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** The first byte of what is stored names the key, so that a key can be replaced while old rows still open. */
const KEY_ID = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM. The connection's id is authenticated with it: a password copied into another row does not open.
 * @returns key id, nonce, tag and text in one
 */
export function encryptPassword(secretKey: string, connectionId: string, password: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', encryptionKey(secretKey), nonce).setAAD(Buffer.from(connectionId));
  const text = Buffer.concat([cipher.update(password, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.from([KEY_ID]), nonce, cipher.getAuthTag(), text]);
}

/** @throws Error if the row was made with another key or for another connection */
export function decryptPassword(secretKey: string, connectionId: string, encrypted: Buffer): string {
  if (encrypted[0] !== KEY_ID) throw new Error(`no key ${encrypted[0]} for the password of connection ${connectionId}`);
  const nonce = encrypted.subarray(1, 1 + NONCE_BYTES);
  const tag = encrypted.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', encryptionKey(secretKey), nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(connectionId))
    .setAuthTag(tag);
  return decipher.update(encrypted.subarray(1 + NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
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
