/** Keys of witnesses and payers of the emulator, and whose key has signed. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { randomBytes } from 'node:crypto';

const SIGNATURE_BYTES = 65;
const ADDRESS_BYTES = 20;
/** Of Ethereum, which some signers add to the recovery bit. */
const RECOVERY_OFFSET = 27;

export interface Key {
  secret: Uint8Array;
  /** 21 bytes in hexadecimal digits. */
  address: string;
}

export function createKey(secret: Uint8Array = randomBytes(32)): Key {
  return { secret, address: toAddress(secp256k1.getPublicKey(secret, false)) };
}

const { BASE, Fn } = secp256k1.Point;
/** The same for all signatures, which reveals the keys of these tests: a new one takes milliseconds for each block. */
const NONCE = 1_000_003n;
const POINT = BASE.multiply(NONCE).toAffine();
const R = Fn.create(POINT.x);
const INVERSE = Fn.inv(NONCE);

const toNumber = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);

/** @returns r, s and the recovery bit */
export function sign({ secret }: Key, hash: Uint8Array): Uint8Array {
  const s = Fn.mul(Fn.create(toNumber(hash) + R * toNumber(secret)), INVERSE);
  const isHigh = s > Fn.ORDER / 2n;
  const recovery = Number(POINT.y & 1n) ^ (isHigh ? 1 : 0);
  return Uint8Array.from([...Fn.toBytes(R), ...Fn.toBytes(isHigh ? Fn.neg(s) : s), recovery]);
}

/** @returns the address of the signer; undefined if it is no signature */
export function recoverSigner(hash: Uint8Array, signature: Uint8Array): string | undefined {
  if (signature.length !== SIGNATURE_BYTES) return undefined;
  const last = signature[SIGNATURE_BYTES - 1]!;
  const recovery = last >= RECOVERY_OFFSET ? last - RECOVERY_OFFSET : last;
  try {
    const point = secp256k1.Signature.fromBytes(signature.subarray(0, 64), 'compact')
      .addRecoveryBit(recovery)
      .recoverPublicKey(hash);
    return toAddress(point.toBytes(false));
  } catch {
    return undefined;
  }
}

function toAddress(publicKey: Uint8Array): string {
  const hash = keccak_256(publicKey.subarray(1));
  return `41${Buffer.from(hash.subarray(-ADDRESS_BYTES)).toString('hex')}`;
}
