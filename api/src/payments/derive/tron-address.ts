/** Addresses of TRON: base58check of 21 bytes, 0x41 and the 20 bytes that Ethereum would use for the same key. Case-sensitive. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { createBase58check } from '@scure/base';
import { createHash } from 'node:crypto';
import { extendedKeyAddresses } from './address-codec.ts';

const PREFIX = 0x41;
const ADDRESS_BYTES = 21;

const base58check = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest());

export function toTronAddress(publicKey: Uint8Array): string {
  const [, ...coordinates] = secp256k1.Point.fromBytes(publicKey).toBytes(false);
  const hash = keccak_256(Uint8Array.from(coordinates));
  return encodeTronAddress(Uint8Array.of(PREFIX, ...hash.subarray(1 - ADDRESS_BYTES)));
}

/** @param bytes 21 of them */
export function encodeTronAddress(bytes: Uint8Array): string {
  return base58check.encode(bytes);
}

/** @returns its 21 bytes; undefined if it is no address of TRON, such as one with a wrong checksum or of another prefix */
export function decodeTronAddress(text: string): Uint8Array | undefined {
  try {
    const bytes = base58check.decode(text);
    return bytes.length === ADDRESS_BYTES && bytes[0] === PREFIX ? bytes : undefined;
  } catch {
    return undefined;
  }
}

export const tronAddresses = extendedKeyAddresses(toTronAddress, (text) => decodeTronAddress(text) && text);
