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

/** @returns r, s and the recovery bit */
export function sign({ secret }: Key, hash: Uint8Array): Uint8Array {
  const [recovery, ...rest] = secp256k1.sign(hash, secret, { prehash: false, format: 'recovered' });
  return Uint8Array.from([...rest, recovery!]);
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
