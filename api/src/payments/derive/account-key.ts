/**
 * The public key of an account, from which addresses are derived without a private key. Here, extended keys (BIP32, depth 3), which
 * wallets show as xpub, ypub, zpub, Ltub or Mtub; wallet-key.ts has those of TON.
 */
import { createBase58check } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { createHash } from 'node:crypto';

interface Fingerprinted {
  /** 16 hexadecimal digits that identify the account. */
  fingerprint: string;
}

export interface ExtendedKey extends Fingerprinted {
  kind: 'XPUB';
  /** Re-encoded as xpub; wallets have other prefixes. */
  xpub: string;
}

export interface WalletKey extends Fingerprinted {
  kind: 'ED25519';
  /** 64 hexadecimal digits. */
  publicKey: string;
}

export type AccountKey = ExtendedKey | WalletKey;

/** The message is for the operator and never contains the key. */
export class InvalidAccountKey extends Error {
  override readonly name = 'InvalidAccountKey';
}

const XPUB_VERSION = 0x04_88_b2_1e;
/** xpub, ypub, zpub, Ltub, Mtub. */
const publicVersions = new Set([XPUB_VERSION, 0x04_9d_7c_b2, 0x04_b2_47_46, 0x01_9d_a4_62, 0x01_b2_6e_f6]);
/** Their private counterparts, and those of test networks. */
const privateVersions = new Set([
  0x04_88_ad_e4, 0x04_9d_78_78, 0x04_b2_43_0c, 0x01_9d_9c_fe, 0x01_b2_67_92, 0x04_35_83_94, 0x04_4a_4e_28,
  0x04_5f_18_bc,
]);
/** m / purpose' / coin' / account'. */
const ACCOUNT_DEPTH = 3;
const EXTENDED_KEY_BYTES = 78;
const DEPTH_OFFSET = 4;
const FINGERPRINT_BYTES = 8;
export const HEX_KEY = /^(?:0x)?[0-9a-f]{64}$/i;
/** Keys of one address in the wallet import format, of Bitcoin and Litecoin. */
const WIF = /^[5KL6T][1-9A-HJ-NP-Za-km-z]{50,51}$/;
export const WORDS = /^(?:\p{L}+\s+){11,23}\p{L}+$/u;

const base58check = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest());

/** @throws InvalidAccountKey */
export function parseAccountKey(text: string): ExtendedKey {
  const key = text.trim();
  refusePrivateShapes(key);
  const bytes = decode(key);
  const version = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  if (privateVersions.has(version)) throw refusePrivate();
  if (!publicVersions.has(version)) throw new InvalidAccountKey('is not an xpub, ypub, zpub, Ltub or Mtub');
  const depth = bytes[DEPTH_OFFSET]!;
  if (depth !== ACCOUNT_DEPTH)
    throw new InvalidAccountKey(
      `has the depth ${depth}: it must be the key of an account, which has the depth ${ACCOUNT_DEPTH}`,
    );
  const reencoded = Uint8Array.from(bytes);
  new DataView(reencoded.buffer).setUint32(0, XPUB_VERSION);
  const xpub = base58check.encode(reencoded);
  const { publicKey, chainCode } = readKey(xpub);
  return { kind: 'XPUB', xpub, fingerprint: toFingerprint(publicKey!, chainCode!) };
}

/** Common ways to paste a secret by mistake. They are refused before anything else, and never repeated in a message. */
function refusePrivateShapes(key: string): void {
  if (/^[a-z]prv|^[LM]tpv/i.test(key) || HEX_KEY.test(key) || WIF.test(key) || WORDS.test(key)) throw refusePrivate();
}

export function refusePrivate(): InvalidAccountKey {
  return new InvalidAccountKey(
    'is private: it must never be on a server. Paste the public key of the account, and consider this one as known to others',
  );
}

function decode(key: string): Uint8Array {
  try {
    const bytes = base58check.decode(key);
    if (bytes.length === EXTENDED_KEY_BYTES) return bytes;
  } catch {
    // The message of the library contains the key.
  }
  throw new InvalidAccountKey('is not complete: its checksum is wrong');
}

function readKey(xpub: string): HDKey {
  try {
    return HDKey.fromExtendedKey(xpub);
  } catch {
    throw new InvalidAccountKey('contains no valid public key');
  }
}

export function toFingerprint(...parts: readonly Uint8Array[]): string {
  const digest = createHash('sha256').update(Buffer.concat(parts)).digest();
  return digest.subarray(0, FINGERPRINT_BYTES).toString('hex');
}
