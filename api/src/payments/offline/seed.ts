/** Seed words (BIP-39) and the accounts that are derived from them (BIP-32, BIP-44). Those of TON are in ton-seed.ts. */
import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync, validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { parseAccountKey } from '../derive/account-key.ts';
import { toEvmAddress } from '../derive/evm-address.ts';
import { toTronAddress } from '../derive/tron-address.ts';
import type { SweepChain } from '../sweep/sweep.ts';

export type SweepSpace = 'evm' | 'tron' | 'ton';
/** Those whose accounts are derived from the same seed words. */
export type WordSpace = Exclude<SweepSpace, 'ton'>;
export type PrivateAccounts = Partial<Record<SweepSpace, PrivateAccount>>;

export interface PrivateAccount {
  /** As in the settings of the server. */
  publicKey: string;
  /** As in the list of holdings. */
  fingerprint: string;
  /** Of `0/index`, on TON of the wallet whose id is that of the first one and `index`. */
  addressOf: (index: number) => string;
  /** The caller erases it. */
  privateKeyOf: (index: number) => Uint8Array;
}

export class InvalidWords extends Error {
  override readonly name = 'InvalidWords';
}

export const spaceOf: Record<SweepChain, SweepSpace> = { ethereum: 'evm', bsc: 'evm', tron: 'tron', ton: 'ton' };

const spaces = {
  evm: { coinType: 60, toAddress: toEvmAddress },
  tron: { coinType: 195, toAddress: toTronAddress },
} as const;
const WORD_COUNTS = new Set([12, 15, 18, 21, 24]);

export function accountPath(space: WordSpace, account: number): string {
  return `m/44'/${spaces[space].coinType}'/${account}'`;
}

/** @returns the words, separated by single spaces @throws InvalidWords, whose message contains none of them */
export function checkWords(typed: string): string {
  const words = splitWords(typed);
  if (!WORD_COUNTS.has(words.length))
    throw new InvalidWords(`Seed words are 12, 15, 18, 21 or 24 words; these are ${words.length}.`);
  requireKnown(words);
  if (!isBip39(words))
    throw new InvalidWords('The checksum of these words is wrong: a word is mistyped, or their order.');
  return words.join(' ');
}

export function splitWords(typed: string): string[] {
  return typed.normalize('NFKD').toLowerCase().trim().split(/\s+/);
}

/** TON's words are of the same list. @throws InvalidWords */
export function requireKnown(words: readonly string[]): void {
  const unknown = words.findIndex((word) => !wordlist.includes(word));
  if (unknown !== -1) throw new InvalidWords(`Word ${unknown + 1} is not in the English list of BIP-39.`);
}

export const isBip39 = (words: readonly string[]): boolean => validateMnemonic(words.join(' '), wordlist);

/** @param words of `checkWords`; the passphrase is empty for most wallets */
export function openAccounts(words: string, passphrase: string, account: number): Record<WordSpace, PrivateAccount> {
  const master = HDKey.fromMasterSeed(mnemonicToSeedSync(words, passphrase));
  return { evm: openAccount(master, 'evm', account), tron: openAccount(master, 'tron', account) };
}

function openAccount(master: HDKey, space: WordSpace, account: number): PrivateAccount {
  const { toAddress } = spaces[space];
  const key = master.derive(accountPath(space, account));
  const receiving = key.deriveChild(0);
  const { xpub, fingerprint } = parseAccountKey(key.publicExtendedKey);
  return {
    publicKey: xpub,
    fingerprint,
    addressOf: (index) => toAddress(receiving.deriveChild(index).publicKey!),
    privateKeyOf: (index) => receiving.deriveChild(index).privateKey!,
  };
}
