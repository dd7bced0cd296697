/** Addresses of an account: `0/i` below its key, which every wallet shows as its receiving addresses. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { HDKey } from '@scure/bip32';
import { NETWORK, p2wpkh } from '@scure/btc-signer';
import assert from 'node:assert/strict';
import type { AccountKey, DerivedSpace } from './account-key.ts';

const litecoin = { bech32: 'ltc', pubKeyHash: 0x30, scriptHash: 0x32, wif: 0xb0 };
const INDEX_END = 2n ** 31n;
const ADDRESS_BYTES = 20;

const encoders: Record<DerivedSpace, (publicKey: Uint8Array) => string> = {
  btc: (publicKey) => p2wpkh(publicKey, NETWORK).address,
  ltc: (publicKey) => p2wpkh(publicKey, litecoin).address,
  evm: toEvmAddress,
};

/** Takes one or two milliseconds. */
export function deriveAddress(space: DerivedSpace, { xpub }: AccountKey, index: bigint): string {
  assert(index >= 0n && index < INDEX_END, `no address has the index ${index}`);
  const { publicKey } = HDKey.fromExtendedKey(xpub).deriveChild(0).deriveChild(Number(index));
  return encoders[space](publicKey!);
}

/** With the checksum of EIP-55. */
export function toChecksumAddress(address: string): string {
  const digits = address.slice(2).toLowerCase();
  const hash = Buffer.from(keccak_256(Buffer.from(digits, 'ascii'))).toString('hex');
  const cased = Array.from(digits, (digit, index) =>
    Number.parseInt(hash[index]!, 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${cased.join('')}`;
}

/** Whether both are the same address. Hexadecimal ones may be in lower case, in which case they have no checksum. */
export function isSameAddress(space: DerivedSpace, derived: string, pasted: string): boolean {
  const text = pasted.trim();
  if (space !== 'evm') return derived === text.toLowerCase();
  return derived === text || derived.toLowerCase() === text;
}

function toEvmAddress(publicKey: Uint8Array): string {
  const [, ...coordinates] = secp256k1.Point.fromBytes(publicKey).toBytes(false);
  const hash = keccak_256(Uint8Array.from(coordinates));
  return toChecksumAddress(`0x${Buffer.from(hash.subarray(-ADDRESS_BYTES)).toString('hex')}`);
}
