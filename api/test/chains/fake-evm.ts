/** A chain of generated blocks behind Ethereum's JSON-RPC. */
import { createHash } from 'node:crypto';
import { TRANSFER_TOPIC } from '../../src/payments/chains/evm-node.ts';
import { type Methods, Refusal } from './fake-node.ts';

const SECONDS_PER_BLOCK = 12;
/** Of each transaction, at a price of 1. */
const GAS = 21_000n;
const START_BALANCE = 10n ** 20n;
/** target, allowFailure, offset and length of the call data, and two words of it. */
const WORDS_PER_CALL = 6;
/** Function selectors. */
const DECIMALS = '0x313ce567';
const BALANCE_OF = '70a08231';
const hex = (value: number | bigint) => `0x${value.toString(16)}`;
const word = (value: number | bigint | string) => `0x${BigInt(value).toString(16).padStart(64, '0')}`;

interface FakeTransfer {
  height: number;
  /** Undefined: somebody else. */
  from?: string;
  to: string;
  units: bigint;
}

export interface FakeEther {
  height: number;
  from: string;
  to: string;
  units: bigint;
  /** Sent by a contract: only balances show it. */
  isInternal?: boolean;
}

export interface FakeEvmChain {
  chainId: number;
  headHeight: number;
  finalizedHeight: number;
  /** Undefined: the final one. */
  safeHeight: number | undefined;
  headAt: Date;
  token: string;
  transfers: FakeTransfer[];
  ether: FakeEther[];
  /** States of heights below are deleted. */
  stateHeight: number;
  /** Replaces the fields of each log. */
  changeLog: (log: Record<string, unknown>) => Record<string, unknown>;
  /** Another name makes another block of the same height. */
  forkAt: (height: number) => string;
  /** Of the native coin, of each account. */
  startBalance: bigint;
  /** Of the token. */
  decimals: number;
  /** How many native transactions of each block pay foreign addresses. All blocks share them, so that generating costs nothing. */
  foreignTransactions: number;
}

export function createFakeEvmChain(changes: Partial<FakeEvmChain> = {}): FakeEvmChain {
  return {
    chainId: 56,
    headHeight: 1000,
    finalizedHeight: 990,
    safeHeight: undefined,
    headAt: new Date(),
    token: `0x${'70'.repeat(20)}`,
    transfers: [],
    ether: [],
    stateHeight: 0,
    changeLog: (log) => log,
    forkAt: () => 'a',
    startBalance: START_BALANCE,
    decimals: 6,
    foreignTransactions: 0,
    ...changes,
  };
}

export const hashOf = (text: string) => `0x${createHash('sha256').update(text).digest('hex')}`;

/** The recipient of a transaction of every block. */
export const foreignAddress = (index: number) => hashOf(`to ${index}`).slice(0, 42);

const etherHash = (index: number) => hashOf(`ether ${index}`);
const transferHash = (index: number) => hashOf(`transfer ${index}`);

/** @param chain read at each call, so that a test may change it */
export function serveEvm(chain: FakeEvmChain): Methods {
  return { ...serveBlocks(chain), ...serveTransfers(chain), ...serveStates(chain) };
}

const blockHash = ({ forkAt }: FakeEvmChain, height: number) => hashOf(`${forkAt(height)} ${height}`);

function serveBlocks(chain: FakeEvmChain): Methods {
  const header = (height: number) => ({
    number: hex(height),
    hash: blockHash(chain, height),
    parentHash: blockHash(chain, height - 1),
    stateRoot: hashOf(`state ${chain.forkAt(height)} ${height}`),
    timestamp: hex(Math.floor(chain.headAt.getTime() / 1000) - (chain.headHeight - height) * SECONDS_PER_BLOCK),
  });
  const foreign = Array.from({ length: chain.foreignTransactions }, (_, index) => ({
    hash: hashOf(`native ${index}`),
    from: hashOf(`from ${index}`).slice(0, 42),
    to: foreignAddress(index),
    value: hex(1),
  }));
  const etherOf = (height: number) =>
    chain.ether.flatMap(({ isInternal = false, units, ...one }, index) =>
      one.height === height && !isInternal
        ? [{ hash: etherHash(index), from: one.from, to: one.to, value: hex(units) }]
        : [],
    );
  const heights = {
    latest: () => chain.headHeight,
    finalized: () => chain.finalizedHeight,
    safe: () => chain.safeHeight ?? chain.finalizedHeight,
  };
  return {
    eth_chainId: () => hex(chain.chainId),
    eth_getBlockByNumber(tag: string, isFull: boolean) {
      const height = tag in heights ? heights[tag as keyof typeof heights]() : Number(tag);
      if (height > chain.headHeight) return null;
      return isFull ? { ...header(height), transactions: [...foreign, ...etherOf(height)] } : header(height);
    },
  };
}

interface LogFilter {
  fromBlock: string;
  toBlock: string;
  topics: (string[] | undefined)[];
}

function serveTransfers(chain: FakeEvmChain): Methods {
  const log = ({ height, from = '0x1', to, units }: FakeTransfer, index: number) =>
    chain.changeLog({
      address: chain.token,
      topics: [TRANSFER_TOPIC, word(from), word(to)],
      data: word(units),
      blockNumber: hex(height),
      blockHash: blockHash(chain, height),
      transactionHash: transferHash(index),
      logIndex: hex(index),
      removed: false,
    });
  return {
    eth_getLogs({ fromBlock, toBlock, topics }: LogFilter) {
      const recipients = topics[2] && new Set(topics[2]);
      return chain.transfers
        .map((transfer, index) => ({ transfer, index }))
        .filter(({ transfer: { height, to } }) => {
          return height >= Number(fromBlock) && height <= Number(toBlock) && (!recipients || recipients.has(word(to)));
        })
        .map(({ transfer, index }) => log(transfer, index));
    },
    eth_getTransactionReceipt(transactionHash: string) {
      const fields = { status: '0x1', gasUsed: hex(GAS), effectiveGasPrice: '0x1', logs: [] as unknown[] };
      const ether = chain.ether.find((_, index) => etherHash(index) === transactionHash);
      if (ether && ether.height <= chain.headHeight) return { ...fields, blockHash: blockHash(chain, ether.height) };
      const index = chain.transfers.findIndex((_, index) => transferHash(index) === transactionHash);
      const transfer = chain.transfers[index];
      return transfer && transfer.height <= chain.headHeight
        ? { ...fields, blockHash: blockHash(chain, transfer.height), logs: [log(transfer, index)] }
        : null;
    },
  };
}

function serveStates(chain: FakeEvmChain): Methods {
  const balanceOf = (owner: string, height: number) => {
    if (height < chain.stateHeight) throw new Refusal(-32000, `missing trie node of block ${height}`);
    return chain.ether
      .filter((one) => one.height <= height)
      .reduce((sum, one) => sum + changeOf(one, owner), chain.startBalance);
  };
  const tokensOf = (owner: string, height: number) =>
    chain.transfers
      .filter((one) => one.height <= height)
      .reduce((sum, { from, to, units }) => sum + (to === owner ? units : 0n) - (from === owner ? units : 0n), 0n);
  return {
    eth_getBalance: (owner: string, height: string) => hex(balanceOf(owner, Number(height))),
    /** It proves nothing: headers have no real roots. */
    eth_getProof: () => ({ accountProof: ['0xc0'] }),
    /** The call of Multicall3, for balances, and the decimals of the token. */
    eth_call({ to, data }: { to: string; data: string }, height: string) {
      if (to.toLowerCase() === chain.token)
        return data === DECIMALS ? word(chain.decimals) : refuse('execution reverted');
      const [, length, ...words] = data.slice(10).match(/.{64}/g)!;
      const count = Number(`0x${length}`);
      const calls = Array.from({ length: count }, (_, index) => {
        const [start, end] = words.slice(count + index * WORDS_PER_CALL + 4);
        return { isToken: start!.startsWith(BALANCE_OF), owner: `0x${(start! + end!).slice(32, 72)}` };
      });
      const offsets = calls.map(() => word(0).slice(2)).join('');
      const results = calls.map(({ isToken, owner }) => {
        const balance = (isToken ? tokensOf : balanceOf)(owner, Number(height));
        return [1, 64, 32, balance].map((value) => word(value).slice(2)).join('');
      });
      return `${word(32)}${word(count).slice(2)}${offsets}${results.join('')}`;
    },
  };
}

function refuse(message: string): never {
  throw new Refusal(-32000, message);
}

function changeOf({ from, to, units, isInternal = false }: FakeEther, owner: string): bigint {
  const received = to === owner ? units : 0n;
  return from === owner ? received - units - (isInternal ? 0n : GAS) : received;
}
