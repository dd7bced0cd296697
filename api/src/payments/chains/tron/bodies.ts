/** Reads blocks with their transactions, proves them, and keeps what concerns us. */
import { SourceRefusal } from '../refusals.ts';
import { readFromAny } from '../sources.ts';
import { ChainUnavailable } from '../watcher.ts';
import type { TronBlock } from './answers.ts';
import { provesTransactions, toTransactionId } from './block-proof.ts';
import { readContract, readTokenCall } from './transaction.ts';
import { failOf, type TronNode } from './tron-node.ts';

/** A block of 300 transactions has 320 KB of JSON. */
const BLOCKS_PER_REQUEST = 20;
const SUCCESS = 'SUCCESS';

export type Checkpoint = readonly [height: number, id: string];

/** What is kept of a block. */
export interface ReadBlock {
  height: number;
  id: string;
  time: Date;
  /** Of the transactions that have succeeded. */
  successfulIds: ReadonlySet<string>;
  /** Of TRX to our addresses. */
  transfers: readonly TrxTransfer[];
  /** Calls that send tokens to our addresses: logs must show them. */
  tokenCalls: readonly TokenCall[];
}

interface TrxTransfer {
  transactionId: string;
  /** 21 bytes. */
  to: string;
  units: bigint;
}

interface TokenCall {
  transactionId: string;
  to: string;
}

export interface BodyReading {
  nodes: readonly TronNode[];
  /** Addresses of 21 bytes. */
  isOurs: (address: string) => boolean;
  fundingAddresses: ReadonlySet<string>;
  /** The token's, 21 bytes. */
  contract: string;
  signal: AbortSignal;
  sizes: RequestSizes;
  /** Called for a block that proves itself at no source, although they agree about it. */
  warn: (message: string) => void;
}

/**
 * @param after the block before them
 * @returns the blocks up to the height; undefined if the first of them has another parent, because the chain has forked
 * @throws ChainUnavailable if no source proves them
 */
export function readBodies(
  reading: BodyReading,
  after: Checkpoint,
  toHeight: number,
): Promise<readonly ReadBlock[] | undefined> {
  return readFromAny(reading.nodes, (node) => readFrom(reading, node, after, toHeight));
}

async function readFrom(reading: BodyReading, node: TronNode, after: Checkpoint, toHeight: number) {
  const read: ReadBlock[] = [];
  let [lastHeight, lastId] = after;
  while (lastHeight < toHeight) {
    const size = Math.min(toHeight - lastHeight, reading.sizes.of(node));
    for (const block of await request(reading, node, lastHeight + 1, lastHeight + size)) {
      if (block.height !== lastHeight + 1) throw failOf(node, 'INVALID_RESPONSE', `left out block ${lastHeight + 1}`);
      if (block.parentId !== lastId) {
        if (read.length === 0) return undefined;
        throw failOf(node, 'DISAGREEING', `changed its chain at block ${block.height}`);
      }
      read.push(digest(reading, await prove(reading, node, block)));
      [lastHeight, lastId] = [block.height, block.id];
    }
  }
  return read;
}

async function request({ sizes, signal }: BodyReading, node: TronNode, fromHeight: number, toHeight: number) {
  const blocks = await sizes.measure(node, () => node.bodies(fromHeight, toHeight, signal));
  if (blocks.length === 0 || blocks.at(-1)!.height > toHeight)
    throw failOf(node, 'LAGGING', `does not have the blocks from ${fromHeight} to ${toHeight}`);
  return blocks;
}

/**
 * A sender may put fields into a transaction that JSON does not show, so that its block can be proven by nobody. One such transaction must
 * not stop the chain: what two sources say alike is accepted.
 */
export async function prove(
  { nodes, signal, warn }: Pick<BodyReading, 'nodes' | 'signal' | 'warn'>,
  node: TronNode,
  block: TronBlock,
): Promise<TronBlock> {
  if (isProven(block)) return block;
  for (const other of nodes) {
    if (other === node) continue;
    const [same] = await other.bodies(block.height, block.height, signal);
    if (same?.id !== block.id) continue;
    if (isProven(same)) return same;
    if (identify(same) === identify(block)) {
      warn(`block ${block.height} does not prove its transactions, but the sources agree about them`);
      return block;
    }
  }
  if (nodes.length === 1) {
    warn(`block ${block.height} does not prove its transactions, and there is only one source`);
    return block;
  }
  throw failOf(node, 'INVALID_RESPONSE', `sent a block ${block.height} that does not prove its transactions`);
}

export const isProven = ({ raw, transactions }: TronBlock) => provesTransactions(raw.txTrieRoot, transactions);

const identify = ({ transactions }: TronBlock): string =>
  transactions.map(({ raw_data_hex, ret }) => [raw_data_hex, ret[0]?.contractRet].join(' ')).join();

export function digest({ isOurs, fundingAddresses, contract }: DigestRules, block: TronBlock): ReadBlock {
  const { height, id, time, transactions } = block;
  const successfulIds = new Set<string>();
  const transfers: TrxTransfer[] = [];
  const tokenCalls: TokenCall[] = [];
  for (const { raw_data_hex, ret } of transactions) {
    // Neither a missing result nor the default is a success.
    if (ret[0]?.contractRet !== SUCCESS) continue;
    const rawData = Buffer.from(raw_data_hex, 'hex');
    const transactionId = toTransactionId(rawData);
    successfulIds.add(transactionId);
    const action = readContract(rawData);
    if (action?.kind === 'TRANSFER') {
      const { owner, to, units } = action;
      const isPayment = isOurs(to) && units > 0n && owner !== to && !fundingAddresses.has(owner);
      if (isPayment) transfers.push({ transactionId, to, units });
    } else if (action?.kind === 'CALL' && action.contract === contract) {
      const call = readTokenCall(action.data);
      if (call && call.units > 0n && isOurs(call.to)) tokenCalls.push({ transactionId, to: call.to });
    }
  }
  return { height, id, time, successfulIds, transfers, tokenCalls };
}

type DigestRules = Pick<BodyReading, 'isOurs' | 'fundingAddresses' | 'contract'>;

type RequestSizes = ReturnType<typeof createRequestSizes>;

/** How many blocks each node is asked for at once: fewer after a failure, because blocks may be larger than it can send in time. */
export function createRequestSizes() {
  const sizes = new Map<TronNode, number>();
  const of = (node: TronNode) => sizes.get(node) ?? BLOCKS_PER_REQUEST;
  return {
    of,
    async measure<Result>(node: TronNode, run: () => Promise<Result>): Promise<Result> {
      try {
        const result = await run();
        sizes.set(node, Math.min(BLOCKS_PER_REQUEST, of(node) * 2));
        return result;
      } catch (error) {
        const isThrottled = error instanceof ChainUnavailable && error.reason === 'THROTTLED';
        if (error instanceof SourceRefusal || !isThrottled) sizes.set(node, Math.max(1, Math.floor(of(node) / 2)));
        throw error;
      }
    },
  };
}
