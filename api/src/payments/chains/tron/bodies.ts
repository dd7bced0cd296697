/** Reads blocks with their transactions, proves them, and keeps what concerns us. */
import { isTooLarge, SourceRefusal } from '../refusals.ts';
import { createSizeLimit, type SizeLimit } from '../size-limit.ts';
import { readFromAny } from '../sources.ts';
import { ChainUnavailable } from '../watcher.ts';
import type { TronBlock } from './answers.ts';
import { contractResults, provesTransactions, toTransactionId } from './block-proof.ts';
import { readContract, readTokenCall, type TokenCall } from './transaction.ts';
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
  /** Of the transactions that have succeeded: the transfer of the token that one calls directly; undefined if it does something else. */
  tokenCalls: ReadonlyMap<string, TokenCall | undefined>;
  /** Of TRX to our addresses. */
  transfers: readonly TrxTransfer[];
}

interface TrxTransfer {
  transactionId: string;
  /** 21 bytes, both. */
  from: string;
  to: string;
  units: bigint;
}

export interface BodyReading {
  nodes: readonly TronNode[];
  /** All that are configured: `nodes` are two of them. */
  allNodes: readonly TronNode[];
  /** Addresses of 21 bytes. */
  isOurs: (address: string) => boolean;
  fundingAddresses: ReadonlySet<string>;
  /** The token's, 21 bytes. */
  contract: string;
  signal: AbortSignal;
  sizes: RequestSizes;
  /** Sources beside `nodes` that do not respond now. */
  silent: Set<TronNode>;
  /** Called for a block that proves itself at no source, although two agree about it. */
  countUnproven: () => void;
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
    for (const block of await request(reading, node, lastHeight + 1, toHeight)) {
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

/** The first of these blocks: as many as the node can send. */
async function request(reading: BodyReading, node: TronNode, fromHeight: number, toHeight: number) {
  const limit = reading.sizes.of(node);
  const size = Math.min(toHeight - fromHeight + 1, limit.value());
  const last = fromHeight + size - 1;
  const blocks = await node.bodies(fromHeight, last, reading.signal).catch((error: unknown) => {
    // Blocks may also be larger than it can send in time.
    const isThrottled = error instanceof ChainUnavailable && error.reason === 'THROTTLED';
    if (!isThrottled) limit.refuse(size);
    if (isTooLarge(error) && size > 1) return undefined;
    throw error;
  });
  if (!blocks) return request(reading, node, fromHeight, toHeight);
  limit.accept(size);
  if (blocks.length === 0 || blocks.at(-1)!.height > last)
    throw failOf(node, 'LAGGING', `does not have the blocks from ${fromHeight} to ${last}`);
  return blocks;
}

/**
 * A sender may put fields into a transaction that JSON does not show, so that its block cannot be proven. One such transaction must
 * not stop the chain: what two sources say alike is accepted, unless any source has a block that proves itself.
 */
export async function prove(reading: BodyReading, node: TronNode, block: TronBlock): Promise<TronBlock> {
  if (isProven(block)) return block;
  const { nodes, allNodes, silent } = reading;
  const others = allNodes.filter((other) => other !== node && !silent.has(other));
  const answers = await Promise.all(others.map((other) => readSame(reading, other, block)));
  const proven = answers.find((same) => same && isProven(same));
  if (proven) return proven;
  const isAgreed = others.some((other, index) => {
    const same = answers[index];
    return nodes.includes(other) && same !== undefined && identify(same) === identify(block);
  });
  if (!isAgreed && nodes.length > 1)
    throw failOf(node, 'INVALID_RESPONSE', `sent a block ${block.height} that does not prove its transactions`);
  requireKnownResults(reading, node, block);
  reading.countUnproven();
  return block;
}

/** No hash proves such a block, and a word that is not known may mean success. In transactions that do not concern us it stops nothing. */
function requireKnownResults(reading: BodyReading, node: TronNode, block: TronBlock): void {
  const transactions = block.transactions
    .filter(({ ret }) => ret[0] && !contractResults.includes(ret[0].contractRet))
    .map((one) => ({ ...one, ret: [{ contractRet: SUCCESS, fee: 0n, ret: '' }] }));
  const { transfers, tokenCalls } = digest(reading, { ...block, transactions });
  const [id] = [
    ...transfers.map(({ transactionId }) => transactionId),
    ...[...tokenCalls].flatMap(([id, call]) => (call && reading.isOurs(call.to) ? [id] : [])),
  ];
  if (id !== undefined) throw failOf(node, 'INVALID_RESPONSE', `has a contractRet of ${id} that is not known`);
}

/** @returns undefined if it has another block, or is none of the sources in use and does not respond */
async function readSame({ nodes, signal, silent }: BodyReading, other: TronNode, { height, id }: TronBlock) {
  try {
    const [same] = await other.bodies(height, height, signal);
    return same?.id === id ? same : undefined;
  } catch (error) {
    const isFailure = error instanceof ChainUnavailable || error instanceof SourceRefusal;
    if (nodes.includes(other) || !isFailure) throw error;
    silent.add(other);
    return undefined;
  }
}

export const isProven = ({ raw, transactions }: TronBlock) => provesTransactions(raw.txTrieRoot, transactions);

const identify = ({ transactions }: TronBlock): string =>
  transactions.map(({ raw_data_hex, ret }) => [raw_data_hex, ret[0]?.contractRet].join(' ')).join();

export function digest({ isOurs, fundingAddresses, contract }: DigestRules, block: TronBlock): ReadBlock {
  const { height, id, time, transactions } = block;
  const tokenCalls = new Map<string, TokenCall | undefined>();
  const transfers: TrxTransfer[] = [];
  for (const { raw_data_hex, ret } of transactions) {
    // Neither a missing result nor the default is a success.
    if (ret[0]?.contractRet !== SUCCESS) continue;
    const rawData = Buffer.from(raw_data_hex, 'hex');
    const transactionId = toTransactionId(rawData);
    const action = readContract(rawData);
    const isOfToken = action?.kind === 'CALL' && action.contract === contract;
    tokenCalls.set(transactionId, isOfToken ? readTokenCall(action.data) : undefined);
    if (action?.kind === 'TRANSFER') {
      const { owner, to, units } = action;
      const isPayment = isOurs(to) && units > 0n && owner !== to && !fundingAddresses.has(owner);
      if (isPayment) transfers.push({ transactionId, from: owner, to, units });
    }
  }
  return { height, id, time, tokenCalls, transfers };
}

type DigestRules = Pick<BodyReading, 'isOurs' | 'fundingAddresses' | 'contract'>;

type RequestSizes = ReturnType<typeof createRequestSizes>;

/** How many blocks each node is asked for at once. */
export function createRequestSizes(nodes: readonly TronNode[]) {
  const limits = new Map(nodes.map((node) => [node, createSizeLimit(BLOCKS_PER_REQUEST)]));
  return { of: (node: TronNode): SizeLimit => limits.get(node)! };
}
