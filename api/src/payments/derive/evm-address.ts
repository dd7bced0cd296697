/** Addresses of Ethereum and BSC. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { extendedKeyAddresses } from './address-codec.ts';

const ADDRESS_BYTES = 20;
const EVM_ADDRESS = /^0x[0-9a-f]{40}$/i;

/** With the checksum of EIP-55. */
export function toChecksumAddress(address: string): string {
  const digits = address.slice(2).toLowerCase();
  const hash = Buffer.from(keccak_256(Buffer.from(digits, 'ascii'))).toString('hex');
  const cased = Array.from(digits, (digit, index) =>
    Number.parseInt(hash[index]!, 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${cased.join('')}`;
}

/** Of a compressed public key. */
export function toEvmAddress(publicKey: Uint8Array): string {
  const [, ...coordinates] = secp256k1.Point.fromBytes(publicKey).toBytes(false);
  const hash = keccak_256(Uint8Array.from(coordinates));
  return toChecksumAddress(`0x${Buffer.from(hash.subarray(-ADDRESS_BYTES)).toString('hex')}`);
}

export const evmAddresses = extendedKeyAddresses(toEvmAddress, (text) => {
  if (!EVM_ADDRESS.test(text)) return undefined;
  const address = toChecksumAddress(text);
  return address === text || text === text.toLowerCase() ? address : undefined;
});
