/** Signs receipts: Ed25519 (RFC 8032) with a key derived from SECRET_KEY. Pure functions. */
import { createHash, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import { deriveKeys, type SecretKeys } from '../../secrets/keys.ts';

export interface ReceiptKey {
  privateKey: KeyObject;
  /** The 32 bytes of the public key. */
  publicKey: Buffer;
  /** The first 16 hexadecimal digits of the public key's SHA-256. */
  id: string;
}

/** The PKCS #8 prefix of an Ed25519 private key of 32 bytes (RFC 8410, section 7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_KEY_BYTES = 32;

/** By seed; `deriveKeys` returns the same Buffer each time. */
const keys = new WeakMap<Buffer, ReceiptKey>();

/** The key that signs new receipts. */
export function receiptKey(secretKeys: SecretKeys): ReceiptKey {
  return receiptKeys(secretKeys)[0];
}

/** The current key and the earlier ones, newest first. */
export function receiptKeys(secretKeys: SecretKeys): [ReceiptKey, ...ReceiptKey[]] {
  const [newest, ...older] = deriveKeys(secretKeys, 'receipt-signature');
  return [toKey(newest), ...older.map(toKey)];
}

function toKey(seed: Buffer): ReceiptKey {
  let key = keys.get(seed);
  if (!key) {
    key = makeKey(seed);
    keys.set(seed, key);
  }
  return key;
}

function makeKey(seed: Buffer): ReceiptKey {
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const encoded = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  const publicKey = encoded.subarray(encoded.length - PUBLIC_KEY_BYTES);
  return { privateKey, publicKey, id: createHash('sha256').update(publicKey).digest('hex').slice(0, 16) };
}

export interface SignedFacts {
  connectionId: string;
  ip: string;
  priceMicros: bigint;
  status: string;
  endReason: string | null;
  createdAt: string;
  disconnectAt: string | null;
  uploadedBytes: bigint;
  downloadedBytes: bigint;
  totalMicros: bigint;
  chargeCount: number;
  /** Hash of the last charge, the head of the hash chain: through it the signature covers all charges. */
  headHash: string;
  issuedAt: string;
  keyId: string;
}

/** The signed text: one field per line, in this order (docs/receipts.md). */
function signedText(facts: SignedFacts): string {
  return [
    'cellhop-receipt-1',
    facts.connectionId,
    facts.ip,
    facts.priceMicros,
    facts.status,
    facts.endReason ?? '-',
    facts.createdAt,
    facts.disconnectAt ?? '-',
    facts.uploadedBytes,
    facts.downloadedBytes,
    facts.totalMicros,
    facts.chargeCount,
    facts.headHash,
    facts.issuedAt,
    facts.keyId,
  ].join('\n');
}

export function signReceipt({ privateKey }: ReceiptKey, facts: SignedFacts): string {
  return sign(null, Buffer.from(signedText(facts)), privateKey).toString('base64');
}
