/**
 * A token of TON (jetton) keeps what an owner holds in a contract of its own, the wallet of that owner. Its address is the hash of its first
 * state, so that it is known before anybody pays, and no source is asked for it.
 */
import { Address, beginCell, Cell, contractAddress } from '@ton/core';
import type { Jetton } from './jetton.ts';

/** The type of cells that stand for a library. */
const LIBRARY_TAG = 2;
const STATUS_BITS = 4;
const UNLOCKED = 0;

/** @param owner in any written form @returns the raw form: `0:` and lower-case hexadecimal digits */
export function deriveJettonWallet(owner: string, { master, walletCode }: Jetton): string {
  const code = beginCell()
    .storeUint(LIBRARY_TAG, 8)
    .storeBuffer(Buffer.from(walletCode, 'hex'))
    .endCell({ exotic: true });
  const data = beginCell()
    .storeUint(UNLOCKED, STATUS_BITS)
    .storeCoins(0)
    .storeAddress(Address.parse(owner))
    .storeAddress(Address.parse(master))
    .endCell();
  return contractAddress(0, { code, data }).toRawString();
}

/** @param address in any written form @throws Error if it is none @returns the raw form */
export const toAccount = (address: string): string => Address.parse(address).toRawString();

interface JettonState {
  units: bigint;
  /** The issuer has locked it: 1 for what the owner sends, 2 for what is sent to the owner. */
  status: number;
}

/** @param data the state of a wallet, as base64 @throws Error if it has another layout */
export function parseJettonState(data: string): JettonState {
  const slice = Cell.fromBase64(data).beginParse();
  const status = slice.loadUint(STATUS_BITS);
  return { status, units: slice.loadCoins() };
}
