/**
 * A token with the layout, operations and exit codes of USDT on TON, but with code of our own: the wallets' code is deployed as a library,
 * as that of USDT is. `compiled.json` is the output of `npx @ton/tolk-js@1.3.0`, the compiler that it names, for wallet.tolk and
 * master.tolk; after a change, both are compiled again.
 */
import { type Address, beginCell, Cell, contractAddress, Dictionary, type Message } from '@ton/core';
import compiled from './jetton/compiled.json' with { type: 'json' };

const walletCode = Cell.fromBase64(compiled.wallet);
const masterCode = Cell.fromBase64(compiled.master);
const LIBRARY_TAG = 2;

/** The hash of the code, as the setting names it. */
export const walletCodeHash = walletCode.hash().toString('hex');
const libraryCell = beginCell().storeUint(LIBRARY_TAG, 8).storeBuffer(walletCode.hash()).endCell({ exotic: true });

/** What a blockchain's configuration contains of libraries. */
export function libraries(): Cell {
  const all = Dictionary.empty(Dictionary.Keys.Buffer(32), Dictionary.Values.Cell());
  all.set(walletCode.hash(), walletCode);
  return beginCell().storeDictDirect(all).endCell();
}

export function masterState(issuer: Address): { code: Cell; data: Cell } {
  return { code: masterCode, data: beginCell().storeAddress(issuer).storeRef(libraryCell).endCell() };
}

/** @param status and balance other than those of a new wallet make another address */
export function walletState(owner: Address, master: Address, { status = 0, balance = 0n } = {}) {
  const data = beginCell().storeUint(status, 4).storeCoins(balance).storeAddress(owner).storeAddress(master).endCell();
  return { code: libraryCell, data };
}

export const walletAddress = (owner: Address, master: Address): Address =>
  contractAddress(0, walletState(owner, master));

const operation = (op: number) => beginCell().storeUint(op, 32).storeUint(0, 64);

export interface InternalTransfer {
  units: bigint;
  from: Address | null;
  forwardValue?: bigint;
  excessesTo?: Address | null;
}

export const bodies = {
  transfer: (units: bigint, to: Address, excessesTo: Address, forwardValue = 0n): Cell =>
    operation(0x0f8a7ea5)
      .storeCoins(units)
      .storeAddress(to)
      .storeAddress(excessesTo)
      .storeMaybeRef(null)
      .storeCoins(forwardValue)
      .storeMaybeRef(null)
      .endCell(),
  internalTransfer: ({ units, from, forwardValue = 0n, excessesTo = null }: InternalTransfer): Cell =>
    operation(0x178d4519)
      .storeCoins(units)
      .storeAddress(from)
      .storeAddress(excessesTo)
      .storeCoins(forwardValue)
      .storeMaybeRef(null)
      .endCell(),
  notification: (units: bigint, from: Address): Cell =>
    operation(0x7362d09c).storeCoins(units).storeAddress(from).storeMaybeRef(null).endCell(),
  mint: (to: Address, value: bigint, transfer: InternalTransfer): Cell =>
    operation(0x642b7d07).storeAddress(to).storeCoins(value).storeRef(bodies.internalTransfer(transfer)).endCell(),
  /** 1 locks what the owner sends, 2 what is sent to the owner. */
  lock: (owner: Address, value: bigint, status: number): Cell =>
    operation(0x235caf52)
      .storeAddress(owner)
      .storeCoins(value)
      .storeRef(operation(0xeed236d3).storeUint(status, 4).endCell())
      .endCell(),
  topUp: (): Cell => operation(0xd372158c).endCell(),
  excesses: (): Cell => operation(0xd53276db).endCell(),
};

/** @returns undefined if the message has no operation */
export function operationOf({ body }: Message): number | undefined {
  const slice = body.beginParse(true);
  return slice.remainingBits >= 32 ? slice.preloadUint(32) : undefined;
}
