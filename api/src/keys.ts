import { hkdfSync } from 'node:crypto';

const KEY_BYTES = 32;

/** Keys already derived; each is asked for at every request. */
const cache = new Map<string, Buffer>();

/** One key for each purpose from the one secret of the installation (HKDF, RFC 5869): 32 bytes. */
export function deriveKey(secretKey: string, purpose: string): Buffer {
  const name = `${purpose}\n${secretKey}`;
  let key = cache.get(name);
  if (!key) {
    key = Buffer.from(hkdfSync('sha256', secretKey, 'cellhop', purpose, KEY_BYTES));
    cache.set(name, key);
  }
  return key;
}
