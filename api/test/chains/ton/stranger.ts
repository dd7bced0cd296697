/** Messages of strangers to our accounts, of which every field that a sender may choose is random, in transactions that need no execution. */
import {
  type Address,
  beginCell,
  Cell,
  type CommonMessageInfoInternal,
  Dictionary,
  loadTransaction,
  type Message,
  storeMessage,
  storeTransaction,
  type StateInit,
  type Transaction,
} from '@ton/core';
import type { Random } from '../../../../tools/random.ts';

const OPERATIONS = [0, 0x2167da4b, 0xd53276db, 0x7362d09c, 0x178d4519, 0x0f8a7ea5, 0xd372158c, 0xffffffff, 1];
const VALUES = [0n, 1n, 9_999_999n, 10_000_000n, 10n ** 9n, 2n ** 63n - 1n, 2n ** 64n, 2n ** 120n - 1n];
const DEEP = 400;

const bytes = (random: Random, length: number) => Buffer.from(Array.from({ length }, () => random.below(256)));

/** Of every type that a message may contain, a cell or a tree of them. */
function randomCell(random: Random, depth = 3): Cell {
  if (random.below(12) === 0) return libraryCell(random);
  if (random.below(30) === 0) return merkleProof(randomCell(random, 0));
  const builder = beginCell().storeBuffer(bytes(random, random.below(100)));
  for (let bit = random.below(8); bit > 0; bit -= 1) builder.storeBit(random.below(2));
  for (let refs = depth === 0 ? 0 : random.below(4); refs > 0; refs -= 1)
    builder.storeRef(randomCell(random, depth - 1));
  return builder.endCell();
}

const libraryCell = (random: Random) =>
  beginCell().storeUint(2, 8).storeBuffer(bytes(random, 32)).endCell({ exotic: true });

function merkleProof(cell: Cell): Cell {
  return beginCell()
    .storeUint(3, 8)
    .storeBuffer(cell.hash(0))
    .storeUint(cell.depth(0), 16)
    .storeRef(cell)
    .endCell({ exotic: true });
}

function deepCell(): Cell {
  let cell = beginCell().endCell();
  for (let level = 0; level < DEEP; level += 1) cell = beginCell().storeUint(level, 16).storeRef(cell).endCell();
  return cell;
}

function randomBody(random: Random): Cell {
  const operation = random.pick(OPERATIONS);
  return random.pick([
    () => randomCell(random),
    deepCell,
    () => libraryCell(random),
    // A text that is no UTF-8.
    () =>
      beginCell()
        .storeUint(0, 32)
        .storeBuffer(Buffer.from([0xff, 0xc0, 0, 0xfe]))
        .endCell(),
    () => beginCell().storeUint(operation, 32).endCell(),
    () =>
      beginCell()
        .storeUint(operation, 32)
        .storeSlice(beginCell().storeBuffer(bytes(random, 80)).asSlice())
        .endCell(),
    // Of a transfer, with a forged amount, sender and forward payload.
    () =>
      beginCell()
        .storeUint(operation, 32)
        .storeUint(random.below(2 ** 31), 64)
        .storeCoins(random.pick(VALUES))
        .storeAddress(null)
        .storeAddress(null)
        .storeCoins(1)
        .storeBit(1)
        .storeRef(randomCell(random))
        .endCell(),
    () => beginCell().storeUint(random.below(128), 7).endCell(),
  ])();
}

function randomInit(random: Random): StateInit | undefined {
  if (random.below(4) > 0) return undefined;
  return {
    splitDepth: random.below(2) ? random.below(32) : null,
    special: random.below(2) ? { tick: random.below(2) === 0, tock: true } : null,
    code: random.below(2) ? randomCell(random) : null,
    data: random.below(2) ? randomCell(random) : null,
  };
}

const PLAIN = {
  type: 'internal',
  ihrDisabled: true,
  bounce: false,
  bounced: false,
  ihrFee: 0n,
  forwardFee: 0n,
  createdLt: 1n,
  createdAt: 1,
} as const;

function randomInfo(random: Random, source: Address, to: Address): CommonMessageInfoInternal {
  const other = Dictionary.empty(Dictionary.Keys.Uint(32), Dictionary.Values.BigVarUint(5));
  if (random.below(3) === 0) other.set(random.below(2 ** 31), random.pick(VALUES) + 1n);
  return {
    ...PLAIN,
    ihrDisabled: random.below(2) === 0,
    bounce: random.below(2) === 0,
    src: source,
    dest: to,
    value: other.size > 0 ? { coins: random.pick(VALUES), other } : { coins: random.pick(VALUES) },
    ihrFee: random.pick(VALUES),
    forwardFee: random.pick(VALUES),
    createdLt: BigInt(random.below(2 ** 31)),
    createdAt: random.below(2 ** 31),
  };
}

export interface Place {
  to: Address;
  source: Address;
  /** Of the same account. */
  previous: Transaction;
  lt: bigint;
  now: number;
}

export function randomMessage(random: Random, { source, to }: Place): Message {
  return { info: randomInfo(random, source, to), init: randomInit(random), body: randomBody(random) };
}

export function plainMessage({ source, to }: Place, coins: bigint): Message {
  const info = { ...PLAIN, src: source, dest: to, value: { coins } };
  return { info, body: beginCell().endCell() };
}

/** @returns the transaction with another message at another place of its account */
export function withMessage(template: Transaction, message: Message, { to, previous, lt, now }: Place): Transaction {
  // A body that is no ordinary cell is always behind a reference.
  const inMessage = beginCell()
    .store(storeMessage(message, { forceRef: true }))
    .endCell();
  const changed: Transaction = {
    ...template,
    address: BigInt(`0x${to.hash.toString('hex')}`),
    lt,
    now,
    prevTransactionLt: previous.lt,
    prevTransactionHash: BigInt(`0x${previous.hash().toString('hex')}`),
    inMessage: undefined,
    outMessages: Dictionary.empty(),
    outMessagesCount: 0,
  };
  const stored = beginCell().store(storeTransaction(changed)).endCell();
  const slice = stored.beginParse();
  const head = beginCell().storeBits(slice.loadBits(slice.remainingBits));
  const messages = beginCell().storeBit(1).storeRef(inMessage).storeBit(0).endCell();
  const [, ...others] = stored.refs;
  const cell = [messages, ...others].reduce((builder, ref) => builder.storeRef(ref), head).endCell();
  return loadTransaction(cell.beginParse());
}
