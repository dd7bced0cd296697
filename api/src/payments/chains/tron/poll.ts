/** One poll: follows the chain from the cursor, and finds what it pays to our addresses. */
import { encodeTronAddress } from '../../derive/tron-address.ts';
import type { createFurtherLook } from '../further-sources.ts';
import { agree } from '../sources.ts';
import { ChainUnavailable, type ObservedPayment, type Poll } from '../watcher.ts';
import type { TronHeader } from './answers.ts';
import { type Checkpoint, readBodies, type ReadBlock } from './bodies.ts';
import { BLOCKS_REMEMBERED, readCursor, type TronCursor, writeCursor } from './cursor.ts';
import { readListedPayments, readTokenPayments, type TokenPayment, type TokenReading } from './token-payments.ts';
import { failOf, type TronNode } from './tron-node.ts';

/** 21 bytes -> the form in which the address was given. */
export type Addresses = ReadonlyMap<string, string>;

/** What a poll starts from. */
export interface Chain extends TokenReading {
  addresses: Addresses;
  now: () => Date;
  lookFurther: ReturnType<typeof createFurtherLook>;
  /** The newest height that is read, and the newest solid one. */
  target: number;
  solidHeight: number;
  /** Of this poll, and of those before it. */
  unproven: { blocks: number; before: number };
}

const BLOCKS_PER_POLL = 100;
/** So that the last settled block is remembered, too. */
const BLOCKS_UNSETTLED_MAX = BLOCKS_REMEMBERED - 1;
/** The time of a block is that of its slot; a transaction may arrive in the meantime and still be in it. */
const CLOCK_ERROR_MS = 3000;

export async function pollChain(chain: Chain, text: string | null): Promise<Poll> {
  const head = await agreedHeader(chain, chain.target);
  if (text === null) return startAtSolid(chain, head, []);
  const cursor = readCursor(text);
  if (chain.addresses.size === 0) return followSolid(chain, head, cursor);
  const { kept, blocks } = await extend(chain, head, cursor);
  const known = [...kept, ...blocks.map(({ height, id }) => [height, id] as const)];
  const scannedHeight = known.at(-1)![0];
  const settled = Math.max(cursor.settled, Math.min(chain.solidHeight, scannedHeight));
  const tokens = await readTokenPayments(chain, chain.addresses.keys(), {
    fromHeight: cursor.settled + 1,
    toHeight: Math.min(scannedHeight, chain.target),
    solidHeight: settled,
    known: new Map(known),
    blocks,
  });
  const further = await askFurther(chain, new Map(known), settled, cursor.asked ?? cursor.settled);
  const payments = [
    ...blocks.flatMap(({ transfers, ...block }) =>
      transfers.map((transfer) => ({ ...transfer, asset: 'TRX', output: 0, block })),
    ),
    ...[...tokens, ...further.facts].map((payment) => ({ ...payment, asset: 'USDT' })),
  ];
  return toPoll(chain, head, {
    cursor: { blocks: known, settled, asked: further.askedHeight },
    warnings: further.warnings,
    payments: payments.map((payment) => toObserved(chain, payment)),
    orphanedBlockHashes: orphansOf(cursor.blocks, kept),
    scannedHeight,
    finalizedHeight: settled,
  });
}

/** TRX is proven by the bodies of one source; of USDT, logs are asked of further sources. */
function askFurther(chain: Chain, known: ReadonlyMap<number, string>, settled: number, asked: number) {
  return chain.lookFurther<TronNode, TokenPayment>({
    nodes: chain.allNodes,
    used: chain.nodes,
    askedHeight: asked,
    settledHeight: settled,
    blocksMax: BLOCKS_PER_POLL,
    read: (nodes, fromHeight, toHeight) =>
      readListedPayments({ ...chain, nodes }, chain.addresses.keys(), {
        fromHeight,
        toHeight,
        solidHeight: toHeight,
        known,
        blocks: [],
      }),
  });
}

/** @throws ChainUnavailable if the sources have no solid block of this height */
export async function cursorAt(chain: Chain, height: number): Promise<string> {
  if (height > chain.solidHeight) throw new ChainUnavailable('LAGGING', `block ${height} is not solid yet`);
  const { id } = await agreedHeader(chain, height);
  return writeCursor({ blocks: [[height, id]], settled: height });
}

/** The first poll begins at the last solid block, which is about a minute old. */
async function startAtSolid(chain: Chain, head: TronHeader, orphanedBlockHashes: readonly string[]): Promise<Poll> {
  const { height, id } = await agreedHeader(chain, chain.solidHeight);
  return toPoll(chain, head, {
    cursor: { blocks: [[height, id]], settled: height },
    payments: [],
    orphanedBlockHashes,
    // Without addresses there is nothing to read in the blocks after it.
    scannedHeight: chain.addresses.size === 0 ? head.height : height,
    finalizedHeight: height,
  });
}

/** Without watched addresses no transactions and no logs are read. */
async function followSolid(chain: Chain, head: TronHeader, cursor: TronCursor): Promise<Poll> {
  const kept = await findFork(chain, cursor);
  const orphanedBlockHashes = orphansOf(cursor.blocks, kept);
  if (kept.at(-1)![0] <= chain.solidHeight) return startAtSolid(chain, head, orphanedBlockHashes);
  // Payments in the last blocks that were read are not final yet.
  const { settled } = cursor;
  const finalizedHeight = Math.max(settled, chain.solidHeight);
  const rest = { payments: [], orphanedBlockHashes, scannedHeight: kept.at(-1)![0], finalizedHeight };
  return toPoll(chain, head, { ...rest, cursor: { blocks: kept, settled } });
}

interface Extension {
  /** Of the remembered blocks, those that are still in the chain. */
  kept: readonly Checkpoint[];
  blocks: readonly ReadBlock[];
}

/** Reads the blocks after the last known one, which must be its descendants; otherwise after the last common one. */
async function extend(chain: Chain, head: TronHeader, cursor: TronCursor): Promise<Extension> {
  const blocks = await readAfter(chain, head, cursor, cursor.blocks);
  if (blocks) return { kept: cursor.blocks, blocks };
  const kept = await findFork(chain, cursor);
  const later = await readAfter(chain, head, cursor, kept);
  if (later) return { kept, blocks: later };
  throw new ChainUnavailable('DISAGREEING', `the chain changed after block ${kept.at(-1)![0]} while it was read`);
}

/** @returns undefined if the last known block is not in the chain */
async function readAfter(
  chain: Chain,
  head: TronHeader,
  { settled }: TronCursor,
  known: readonly Checkpoint[],
): Promise<readonly ReadBlock[] | undefined> {
  const tip = known.at(-1)!;
  if (tip[0] >= head.height) return isIn(known, head) ? [] : undefined;
  const lastUnsettled = Math.max(settled, chain.solidHeight) + BLOCKS_UNSETTLED_MAX;
  const toHeight = Math.min(head.height, tip[0] + BLOCKS_PER_POLL, lastUnsettled);
  if (toHeight <= tip[0])
    throw new ChainUnavailable('LAGGING', `no block after ${Math.max(settled, chain.solidHeight)} has become solid`);
  const blocks = await readBodies(chain, tip, toHeight);
  if (!blocks) return undefined;
  const { id } = toHeight === head.height ? head : await agreedHeader(chain, toHeight);
  if (blocks.at(-1)!.id === id) return blocks;
  const names = chain.nodes.map(({ transport }) => transport.name).join(' and ');
  throw new ChainUnavailable('DISAGREEING', `${names} have other blocks before ${toHeight}`);
}

const isIn = (known: readonly Checkpoint[], { height, id }: TronHeader) =>
  known.some(([knownHeight, knownId]) => knownHeight === height && knownId === id);

/** Goes back to the last remembered block that is still in the chain. */
async function findFork(chain: Chain, { blocks, settled }: TronCursor): Promise<readonly Checkpoint[]> {
  const reached = blocks.filter(([height]) => height <= chain.target);
  for (let last = reached.length - 1; last >= 0; last -= 1) {
    const [height, id] = reached[last]!;
    if ((await agreedHeader(chain, height)).id === id) {
      // The blocks after the target are its descendants.
      return last === reached.length - 1 ? blocks : reached.slice(0, last + 1);
    }
    if (height <= settled) throw deepReorganisation(`the solid block ${height} has left the chain`);
  }
  if (reached.length > 0) throw deepReorganisation(`the last ${blocks.length} blocks have left the chain`);
  throw new ChainUnavailable('LAGGING', `the nodes have no blocks after ${chain.target}, which were read before`);
}

const deepReorganisation = (problem: string) => new ChainUnavailable('DEEP_REORGANISATION', problem);

const orphansOf = (blocks: readonly Checkpoint[], kept: readonly Checkpoint[]): string[] =>
  blocks.slice(kept.length).map(([, id]) => id);

function agreedHeader({ nodes, signal }: Chain, height: number): Promise<TronHeader> {
  return agree(
    nodes,
    `block ${height}`,
    async (node) => {
      const header = await node.header(height, signal);
      if (header?.height === height) return header;
      throw failOf(node, 'LAGGING', `does not have block ${height}`);
    },
    ({ id }) => id,
  );
}

interface Result extends Pick<Poll, 'payments' | 'orphanedBlockHashes' | 'scannedHeight' | 'warnings'> {
  cursor: TronCursor;
  finalizedHeight: number;
}

function toPoll(
  { unproven: { blocks, before } }: Chain,
  { height, id, time }: TronHeader,
  { cursor, finalizedHeight, ...rest }: Result,
): Poll {
  return {
    ...rest,
    cursor: writeCursor(cursor),
    pooledTransactionIds: undefined,
    head: { height, hash: id, time, safeHeight: finalizedHeight, finalizedHeight },
    clockErrorMs: CLOCK_ERROR_MS,
    ...(blocks > 0 && { unprovenBlocks: before + blocks }),
  };
}

interface Found extends Pick<ObservedPayment, 'asset' | 'transactionId' | 'output' | 'units'> {
  from: string;
  to: string;
  block: { height: number; id: string; time: Date };
}

function toObserved({ addresses, now }: Chain, { from, to, block, ...payment }: Found): ObservedPayment {
  const { asset, transactionId, output, units } = payment;
  const { height, id: hash, time } = block;
  return {
    asset,
    transactionId,
    output,
    units,
    sender: encodeTronAddress(Buffer.from(from, 'hex')),
    address: addresses.get(to)!,
    block: { height, hash, time },
    // Witnesses cannot choose it, but the clock of this machine may be behind.
    arrivedAt: new Date(Math.min(time.getTime(), now().getTime())),
  };
}
