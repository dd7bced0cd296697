/** A chain of generated blocks behind Ethereum's JSON-RPC. */
import { createHash } from 'node:crypto';
import { TRANSFER_TOPIC } from '../../src/payments/chains/evm-node.ts';
import type { Methods } from './fake-node.ts';

const SECONDS_PER_BLOCK = 12;
const hex = (value: number | bigint) => `0x${value.toString(16)}`;
const word = (value: number | bigint | string) => `0x${BigInt(value).toString(16).padStart(64, '0')}`;

interface FakeTransfer {
  height: number;
  to: string;
  units: bigint;
}

interface LogFilter {
  fromBlock: string;
  toBlock: string;
  topics: (string[] | undefined)[];
}

export interface FakeEvmChain {
  chainId: number;
  headHeight: number;
  finalizedHeight: number;
  headAt: Date;
  token: string;
  transfers: FakeTransfer[];
  /** Replaces the fields of each log. */
  changeLog: (log: Record<string, unknown>) => Record<string, unknown>;
  /** Makes another chain of the same heights. */
  fork: string;
  /** How many native transactions of each block pay foreign addresses. All blocks share them, so that generating costs nothing. */
  foreignTransactions: number;
}

export function createFakeEvmChain(changes: Partial<FakeEvmChain> = {}): FakeEvmChain {
  return {
    chainId: 56,
    headHeight: 1000,
    finalizedHeight: 990,
    headAt: new Date(),
    token: `0x${'70'.repeat(20)}`,
    transfers: [],
    changeLog: (log) => log,
    fork: 'a',
    foreignTransactions: 0,
    ...changes,
  };
}

export const hashOf = (text: string) => `0x${createHash('sha256').update(text).digest('hex')}`;

/** @param chain read at each call, so that a test may change it */
export function serveEvm(chain: FakeEvmChain): Methods {
  const blockHash = (height: number) => hashOf(`${chain.fork} ${height}`);
  const header = (height: number) => ({
    number: hex(height),
    hash: blockHash(height),
    parentHash: blockHash(height - 1),
    timestamp: hex(Math.floor(chain.headAt.getTime() / 1000) - (chain.headHeight - height) * SECONDS_PER_BLOCK),
  });
  const foreign = Array.from({ length: chain.foreignTransactions }, (_, index) => ({
    hash: hashOf(`native ${index}`),
    from: hashOf(`from ${index}`).slice(0, 42),
    to: hashOf(`to ${index}`).slice(0, 42),
    value: hex(1),
  }));
  const log = ({ height, to, units }: FakeTransfer, index: number) =>
    chain.changeLog({
      address: chain.token,
      topics: [TRANSFER_TOPIC, word(1), word(to)],
      data: word(units),
      blockNumber: hex(height),
      blockHash: blockHash(height),
      transactionHash: hashOf(`transfer ${index}`),
      logIndex: hex(index),
      removed: false,
    });
  const heights = {
    latest: () => chain.headHeight,
    finalized: () => chain.finalizedHeight,
    safe: () => chain.finalizedHeight,
  };

  return {
    eth_chainId: () => hex(chain.chainId),
    eth_getBlockByNumber(tag: string, isFull: boolean) {
      const height = tag in heights ? heights[tag as keyof typeof heights]() : Number(tag);
      if (height > chain.headHeight) return null;
      return isFull ? { ...header(height), transactions: foreign } : header(height);
    },
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
      const index = chain.transfers.findIndex((_, index) => hashOf(`transfer ${index}`) === transactionHash);
      const transfer = chain.transfers[index];
      if (!transfer) return null;
      const fields = { blockHash: blockHash(transfer.height), status: '0x1', gasUsed: '0x1', effectiveGasPrice: '0x1' };
      return { ...fields, logs: [log(transfer, index)] };
    },
    /** The call of Multicall3: every balance is 0. */
    eth_call({ data }: { data: string }) {
      const count = Number(`0x${data.slice(10 + 64, 10 + 128)}`);
      const offsets = Array.from({ length: count }, () => word(0).slice(2)).join('');
      const results = [1, 64, 32, 0]
        .map((value) => word(value).slice(2))
        .join('')
        .repeat(count);
      return `${word(32)}${word(count).slice(2)}${offsets}${results}`;
    },
  };
}
