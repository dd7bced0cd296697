/** Secrets that must be read again, encrypted at rest: AES-256-GCM. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** The first byte of what is stored names the key, so that a key can be replaced while old rows still open. */
const KEY_ID = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * @param key 32 bytes, of one purpose
 * @param owner whose secret it is; authenticated with it, so a secret copied into another row does not open
 * @returns key id, nonce, tag and text in one
 */
export function seal(key: Buffer, owner: string, secret: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner));
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.from([KEY_ID]), nonce, cipher.getAuthTag(), text]);
}

/** @throws Error if it was sealed with another key or for another owner */
export function unseal(key: Buffer, owner: string, sealed: Buffer): string {
  if (sealed[0] !== KEY_ID) throw new Error(`no key ${sealed[0]} for the secret of ${owner}`);
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(owner))
    .setAuthTag(tag);
  return decipher.update(sealed.subarray(1 + NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
}
