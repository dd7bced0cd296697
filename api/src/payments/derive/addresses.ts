/** Addresses of an account: `0/i` below its key, which every wallet shows as its receiving addresses; on TON, wallets by their ids. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { HDKey } from '@scure/bip32';
import { NETWORK, p2wpkh } from '@scure/btc-signer';
import assert from 'node:assert/strict';
import type { AddressSpace } from '../currencies.ts';
import type { AccountKey } from './account-key.ts';
import { deriveTonAddress, formatTonAddress, parseTonAddress, TON_INDEX_END, TON_WALLET_ID } from './ton-address.ts';
import { decodeTronAddress, toTronAddress } from './tron-address.ts';

const litecoin = { bech32: 'ltc', pubKeyHash: 0x30, scriptHash: 0x32, wif: 0xb0 };
const BIP32_INDEX_END = 2n ** 31n;
const ADDRESS_BYTES = 20;
const EVM_ADDRESS = /^0x[0-9a-f]{40}$/i;

const encoders: Record<Exclude<AddressSpace, 'ton'>, (publicKey: Uint8Array) => string> = {
  btc: (publicKey) => p2wpkh(publicKey, NETWORK).address,
  ltc: (publicKey) => p2wpkh(publicKey, litecoin).address,
  evm: toEvmAddress,
  tron: toTronAddress,
};

/** Takes one or two milliseconds. */
export function deriveAddress(space: AddressSpace, account: AccountKey, index: bigint): string {
  const end = space === 'ton' ? TON_INDEX_END : BIP32_INDEX_END;
  assert(index >= 0n && index < end, `no address of ${space} has the index ${index}`);
  if (space === 'ton') {
    assert(account.kind === 'ED25519', 'the key has no addresses of ton');
    return deriveTonAddress(account.publicKey, index);
  }
  assert(account.kind === 'XPUB', `the key has no addresses of ${space}`);
  const { publicKey } = HDKey.fromExtendedKey(account.xpub).deriveChild(0).deriveChild(Number(index));
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

/** How a wallet names the address: the path below the account, on TON the id of the wallet. */
export function describeIndex(space: AddressSpace, index: bigint): string {
  return space === 'ton' ? String(TON_WALLET_ID + index) : `0/${index}`;
}

/**
 * The form in which addresses are stored and shown, of an address that a person has typed or pasted: its checksum is checked, except for
 * hexadecimal digits in lower case, which have none.
 * @returns undefined if it is no address of the space
 */
export function parseAddress(space: AddressSpace, text: string): string | undefined {
  const address = text.trim();
  switch (space) {
    case 'btc':
    case 'ltc':
      return address.toLowerCase();
    case 'evm':
      return parseEvmAddress(address);
    case 'tron':
      return decodeTronAddress(address) && address;
    case 'ton': {
      const parsed = parseTonAddress(address);
      return parsed && formatTonAddress(parsed);
    }
  }
}

/** Whether both are the same address, whatever the form of the pasted one. */
export function isSameAddress(space: AddressSpace, derived: string, pasted: string): boolean {
  return derived === parseAddress(space, pasted);
}

function parseEvmAddress(text: string): string | undefined {
  if (!EVM_ADDRESS.test(text)) return undefined;
  const address = toChecksumAddress(text);
  return address === text || text === text.toLowerCase() ? address : undefined;
}

/** Of a compressed public key. */
export function toEvmAddress(publicKey: Uint8Array): string {
  const [, ...coordinates] = secp256k1.Point.fromBytes(publicKey).toBytes(false);
  const hash = keccak_256(Uint8Array.from(coordinates));
  return toChecksumAddress(`0x${Buffer.from(hash.subarray(-ADDRESS_BYTES)).toString('hex')}`);
}
