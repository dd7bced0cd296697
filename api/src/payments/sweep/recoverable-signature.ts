/** Signatures over a hash from which the signer follows, as on Ethereum and TRON. Deterministic (RFC 6979), with the lower s. */
import { secp256k1 } from '@noble/curves/secp256k1.js';

const NUMBER_BYTES = 32;

export interface RecoverableSignature {
  r: Uint8Array;
  s: Uint8Array;
  /** 0 or 1. */
  parity: number;
}

export function signHash(hash: Uint8Array, privateKey: Uint8Array): RecoverableSignature {
  const bytes = secp256k1.sign(hash, privateKey, { prehash: false, format: 'recovered' });
  const [parity] = bytes;
  return { r: bytes.slice(1, 1 + NUMBER_BYTES), s: bytes.slice(1 + NUMBER_BYTES), parity: parity! };
}

/** @returns the compressed public key of the signer @throws if it is no signature, or one with the higher s */
export function recoverSigner(hash: Uint8Array, { r, s, parity }: RecoverableSignature): Uint8Array {
  if (parity > 1) throw new RangeError('the parity of a signature is 0 or 1');
  const signature = secp256k1.Signature.fromBytes(Buffer.concat([r, s].map(toWord)), 'compact');
  if (signature.hasHighS()) throw new RangeError('the signature has the higher s');
  return signature.addRecoveryBit(parity).recoverPublicKey(hash).toBytes(true);
}

function toWord(number: Uint8Array): Uint8Array {
  if (number.length > NUMBER_BYTES) throw new RangeError('a number of the signature is too long');
  return Buffer.concat([new Uint8Array(NUMBER_BYTES - number.length), number]);
}
