import { hkdfSync } from 'node:crypto';

/** The keys of the setting SECRET_KEY. The first encrypts and signs; all of them decrypt and verify. */
export type SecretKeys = readonly [newest: string, ...older: string[]];

const KEY_BYTES = 32;
const KEY_ID_BYTES = 8;

/** Keys already derived; each is asked for at every request. */
const cache = new Map<string, Buffer>();

/** What encrypts and signs for this purpose: 32 bytes from the newest secret of the installation (HKDF, RFC 5869). */
export function deriveKey([newest]: SecretKeys, purpose: string): Buffer {
  return derive(newest, purpose);
}

/** What decrypts and verifies for this purpose, the newest first. */
export function deriveKeys([newest, ...older]: SecretKeys, purpose: string): [Buffer, ...Buffer[]] {
  return [derive(newest, purpose), ...older.map((secretKey) => derive(secretKey, purpose))];
}

/** A name for the newest key that does not reveal it; stored beside what was made with it. */
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
