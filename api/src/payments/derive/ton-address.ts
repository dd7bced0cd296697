/**
 * Addresses of TON: those of wallets v4r2 with the key of the operator, which differ in their wallet id. Nothing has to be deployed before
 * they can be paid. Shown in the form that says so (`UQ…`, non-bounceable), because a wallet returns what it sends to an address without a
 * contract if the form is `EQ…`.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { AddressCodec } from './address-codec.ts';
import { parseWalletKey } from './wallet-key.ts';

/** Workchain and account, in every written form of the address the same. */
export interface TonAddress {
  workchain: number;
  /** 32 bytes as lower-case hexadecimal digits. */
  account: string;
}

/** The id of the wallet that ordinary programs show; that of index 1 is larger by 1. */
export const TON_WALLET_ID = 698_983_191n;
/** Wallet ids stay below 2^31: some libraries read them as signed numbers. */
export const TON_INDEX_END = 2n ** 31n - TON_WALLET_ID;

/** The code of wallet v4r2: its hash, and the depth of its tree of cells. */
const CODE_HASH = 'feb5ff6820e2ff0d9483e7e0d62c817d846789fb4ae580c878866d959dabd5c0';
const CODE_DEPTH = '0007';
const DATA_DEPTH = '0000';
/** A cell without references and with 40 full bytes and one bit: the number of both. */
const DATA_DESCRIPTORS = '0051';
const SEQNO = '00000000';
/** An empty dictionary of plugins: one bit 0, then the bit 1 that ends a byte that is not full. */
const NO_PLUGINS_AND_END = '40';
/** A cell with two references and 5 bits: no depth, no special, code, data, no libraries. */
const STATE_DESCRIPTORS = '020134';

/**
 * The address is the hash of the first state of the contract, its code and its data; these are cells of TVM, whose hash is that of
 * their descriptors, bits, and depths and hashes of their references.
 * @param publicKey 64 hexadecimal digits
 */
export function deriveTonAddress(publicKey: string, index: bigint): string {
  const walletId = (TON_WALLET_ID + index).toString(16).padStart(8, '0');
  const data = sha256(DATA_DESCRIPTORS + SEQNO + walletId + publicKey + NO_PLUGINS_AND_END);
  const account = sha256(STATE_DESCRIPTORS + CODE_DEPTH + DATA_DEPTH + CODE_HASH + data);
  return formatTonAddress({ workchain: 0, account });
}

export const tonAddresses: AddressCodec = {
  keyKind: 'ED25519',
  parseKey: parseWalletKey,
  derive(account, index) {
    assert(account.kind === 'ED25519');
    assert(index >= 0n && index < TON_INDEX_END, `no address of TON has the index ${index}`);
    return deriveTonAddress(account.publicKey, index);
  },
  describeIndex: (index) => String(TON_WALLET_ID + index),
  parse(text) {
    const address = parseTonAddress(text);
    return address && formatTonAddress(address);
  },
  isTestForm,
};

const NON_BOUNCEABLE = 0x51;
const BOUNCEABLE = 0x11;
const TEST_ONLY = 0x80;
const FRIENDLY = /^[\w+/-]{48}$/;
const RAW = /^(0|-1):([0-9a-f]{64})$/i;

/** As users see it. */
export function formatTonAddress({ workchain, account }: TonAddress): string {
  const body = Buffer.from([NON_BOUNCEABLE, workchain & 0xff, ...Buffer.from(account, 'hex')]);
  return Buffer.concat([body, checksum(body)]).toString('base64url');
}

/** @returns undefined if it is no address of the main network: raw, or in either friendly form with its checksum */
export function parseTonAddress(text: string): TonAddress | undefined {
  const [, workchain, account] = RAW.exec(text) ?? [];
  if (account !== undefined) return { workchain: Number(workchain), account: account.toLowerCase() };
  const body = readFriendly(text);
  if (body?.[0] !== BOUNCEABLE && body?.[0] !== NON_BOUNCEABLE) return undefined;
  return { workchain: body.readInt8(1), account: body.subarray(2).toString('hex') };
}

/** `0Q…` or `kQ…`: wallets on a test network show the same account in a form of its own. */
function isTestForm(text: string): boolean {
  const flags = readFriendly(text)?.[0];
  return flags === (BOUNCEABLE | TEST_ONLY) || flags === (NON_BOUNCEABLE | TEST_ONLY);
}

/** @returns flags, workchain and account; undefined without the right checksum */
function readFriendly(text: string): Buffer | undefined {
  if (!FRIENDLY.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  const body = bytes.subarray(0, -2);
  return checksum(body).equals(bytes.subarray(-2)) ? body : undefined;
}

/** `0:` and hexadecimal digits, as indexers name accounts. */
export function toRawTonAddress({ workchain, account }: TonAddress): string {
  return `${workchain}:${account}`;
}

function sha256(hex: string): string {
  return createHash('sha256').update(hex, 'hex').digest('hex');
}

const CRC_POLYNOMIAL = 0x1021;

/** CRC-16 as of XMODEM. */
function checksum(bytes: Uint8Array): Buffer {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? CRC_POLYNOMIAL : 0)) & 0xffff;
  }
  return Buffer.from([crc >> 8, crc & 0xff]);
}
