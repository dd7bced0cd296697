import { hkdfSync } from 'node:crypto';

/** The keys of the setting SECRET_KEY. The first encrypts and signs; all of them decrypt and verify. */
export type SecretKeys = readonly [newest: string, ...older: string[]];

const KEY_BYTES = 32;
const KEY_ID_BYTES = 8;

/** Derived keys, which every request needs. */
const cache = new Map<string, Buffer>();

/** The key that encrypts and signs for this purpose: 32 bytes from the newest secret (HKDF, RFC 5869). */
export function deriveKey([newest]: SecretKeys, purpose: string): Buffer {
  return derive(newest, purpose);
}

/** The keys that decrypt and verify for this purpose, newest first. */
export function deriveKeys([newest, ...older]: SecretKeys, purpose: string): [Buffer, ...Buffer[]] {
  return [derive(newest, purpose), ...older.map((secretKey) => derive(secretKey, purpose))];
}

/** An id of the newest key that does not reveal it; stored with the data made with it. */
export function newestKeyId([newest]: SecretKeys): string {
  return derive(newest, 'key-id').subarray(0, KEY_ID_BYTES).toString('hex');
}

function derive(secretKey: string, purpose: string): Buffer {
  const name = `${purpose}\n${secretKey}`;
  let key = cache.get(name);
  if (!key) {
    key = Buffer.from(hkdfSync('sha256', secretKey, 'cellhop', purpose, KEY_BYTES));
    cache.set(name, key);
  }
  return key;
}
