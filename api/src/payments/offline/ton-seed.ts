/** The key of a wallet of TON: from its own kind of seed words, whose checksum BIP-39 does not know, or from the bytes that they stand for. */
import { ed25519 } from '@noble/curves/ed25519.js';
import { mnemonicToPrivateKey, mnemonicValidate } from '@ton/crypto';
import { parseWalletKey } from '../derive/wallet-key.ts';
import { deriveTonAddress } from '../derive/ton-address.ts';
import { InvalidWords, isBip39, type PrivateAccount, requireKnown, splitWords } from './seed.ts';

const SEED_BYTES = 32;
const HEX_SEED = /^(?:0x)?[0-9a-f]{64}$/i;
const WORD_COUNTS = new Set([12, 24]);

/** @param typed seed words, or 64 hexadecimal digits @throws InvalidWords, whose message contains nothing of it */
export async function openTonAccount(typed: string): Promise<PrivateAccount> {
  const seed = HEX_SEED.test(typed.trim()) ? fromHex(typed.trim()) : await fromWords(splitWords(typed));
  const publicKey = Buffer.from(ed25519.getPublicKey(seed)).toString('hex');
  const { fingerprint } = parseWalletKey(publicKey);
  return {
    publicKey,
    fingerprint,
    addressOf: (index) => deriveTonAddress(publicKey, BigInt(index)),
    // All wallets have the same one.
    privateKeyOf: () => Uint8Array.from(seed),
  };
}

const fromHex = (digits: string): Uint8Array => Uint8Array.from(Buffer.from(digits.replace(/^0x/i, ''), 'hex'));

/** @throws InvalidWords */
async function fromWords(words: string[]): Promise<Uint8Array> {
  if (!WORD_COUNTS.has(words.length))
    throw new InvalidWords(
      `Seed words of TON are 24 or 12 words, a seed is 64 hexadecimal digits; these are ${words.length} words.`,
    );
  requireKnown(words);
  if (!(await mnemonicValidate(words)))
    throw new InvalidWords(
      isBip39(words)
        ? 'These words are of BIP-39, for other chains. A wallet v4R2 of TON has words of its own kind.'
        : 'The checksum of these words is wrong: a word is mistyped, or their order.',
    );
  const { secretKey } = await mnemonicToPrivateKey(words);
  return Uint8Array.from(secretKey.subarray(0, SEED_BYTES));
}
