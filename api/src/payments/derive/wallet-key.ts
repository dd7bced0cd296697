/** The public key of a wallet of TON, from which the addresses of its subwallets are derived. */
import { ed25519 } from '@noble/curves/ed25519.js';
import { HEX_KEY, InvalidAccountKey, refusePrivate, toFingerprint, type WalletKey, WORDS } from './account-key.ts';

const KEY_BYTES = 32;
const BASE64_KEY = /^[\w+/-]{43}=?$/;
/** A secret key: the seed, followed by the public key. */
const SECRET_KEY = /^(?:0x)?[0-9a-f]{128}$|^[\w+/-]{86}(?:==)?$/i;

/**
 * A seed has the same length and form as a public key. Half of them are found here, because they are no points of the curve; the comparison
 * with an address of the wallet finds the others.
 * @throws InvalidAccountKey
 */
export function parseWalletKey(text: string): WalletKey {
  const key = text.trim();
  if (WORDS.test(key) || SECRET_KEY.test(key)) throw refusePrivate();
  const bytes = decode(key);
  if (bytes?.length !== KEY_BYTES)
    throw new InvalidAccountKey('is no public key: it must be 32 bytes, as 64 hexadecimal digits or as base64');
  if (!isPoint(bytes))
    throw new InvalidAccountKey('is no public key: it is mistyped, or private; then consider it as known to others');
  return { kind: 'ED25519', publicKey: bytes.toString('hex'), fingerprint: toFingerprint(bytes) };
}

function decode(key: string): Buffer | undefined {
  if (HEX_KEY.test(key)) return Buffer.from(key.replace(/^0x/i, ''), 'hex');
  return BASE64_KEY.test(key) ? Buffer.from(key, 'base64url') : undefined;
}

function isPoint(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes).assertValidity();
    return true;
  } catch {
    return false;
  }
}
