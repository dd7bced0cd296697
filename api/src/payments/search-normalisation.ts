/**
 * Addresses and transactions as people paste them, from wallets, explorers and indexers, and as they are stored. One text may mean several:
 * forty hexadecimal digits are an address on Ethereum and, as its nodes write them, one on TRON.
 */
import { toChecksumAddress } from './derive/evm-address.ts';
import { formatTonAddress, parseTonAddress } from './derive/ton-address.ts';
import { encodeTronAddress } from './derive/tron-address.ts';

const HEX = /^(?:0x)?([0-9a-f]+)$/i;
const BECH32 = /^(?:bc|ltc)1[0-9a-z]+$/i;
const BASE64 = /^[\w+/-]{43}=?$/;
const ADDRESS_DIGITS = 40;
/** Of TRON: 0x41 and 20 bytes. The length tells, not the first digits: those 20 bytes may begin with 41, too. */
const LONG_ADDRESS_DIGITS = 42;
const TRON_PREFIX = '41';
const HASH_DIGITS = 64;

/** The stored forms of the addresses that the text may mean; without any if it is no whole address. */
export function toStoredAddresses(text: string): string[] {
  const ton = parseTonAddress(text);
  if (ton) return [formatTonAddress(ton)];
  if (BECH32.test(text)) return [text.toLowerCase()];
  const digits = HEX.exec(text)?.[1]?.toLowerCase();
  if (digits?.length === ADDRESS_DIGITS) return [toChecksumAddress(`0x${digits}`), toTronAddress(TRON_PREFIX + digits)];
  if (digits?.length === LONG_ADDRESS_DIGITS && digits.startsWith(TRON_PREFIX)) return [toTronAddress(digits)];
  return [text];
}

/** The beginning of an address, of which TON has two forms that differ in the first letter only. */
export function toStoredBeginning(text: string): string {
  return text.startsWith('EQ') ? text.replace('E', 'U') : text;
}

/** Hashes of Ethereum and BSC have 0x; those of TON are base64 in its indexers, and hexadecimal here and in explorers. */
export function toStoredTransactions(text: string): string[] {
  const digits = HEX.exec(text)?.[1]?.toLowerCase();
  if (digits?.length === HASH_DIGITS) return [digits, `0x${digits}`];
  if (BASE64.test(text)) return [text, Buffer.from(text, 'base64url').toString('hex')];
  return [text];
}

function toTronAddress(digits: string): string {
  return encodeTronAddress(Buffer.from(digits, 'hex'));
}
