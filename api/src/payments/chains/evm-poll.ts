/** One poll of an EVM chain: three passes over its blocks, each from where the one before it has stopped. */
import {
  type Checkpoint,
  CHECKPOINTS_MAX,
  type EvmCursor,
  mergeRanges,
  readCursor,
  type StateRange,
  writeCursor,
} from './evm-cursor.ts';
import type { EvmNode } from './evm-node.ts';
import type { createFurtherLook } from './further-sources.ts';
import { type Addresses, readNativePayments, readPayments, type Reading, readTokenPayments } from './evm-reader.ts';
import { type ChainHead, ChainUnavailable, type ObservedPayment, type Poll } from './watcher.ts';

/** The time of a block is that of its slot, in whole seconds; a transaction may arrive some seconds later and still be in it. */
const CLOCK_ERROR_MS = 5000;

export interface Chain {
  head: ChainHead & { safeHeight: number; finalizedHeight: number };
  reading: Reading;
  /** With all configured sources, and for any of them. */
  readingOf: (nodes: readonly EvmNode[]) => Reading;
  allNodes: readonly EvmNode[];
  lookFurther: ReturnType<typeof createFurtherLook>;
}

/** What a poll has found so far. Each pass returns the next one. */
interface Progress {
  readonly chain: Chain;
  readonly ours: Addresses;
  readonly blocksMax: number;
  readonly payments: readonly ObservedPayment[];
  readonly checkpoints: readonly Checkpoint[];
  readonly statesHeight: number;
  readonly unknownStates: StateRange | undefined;
}

export async function pollChain(
  chain: Chain,
  cursor: string | null,
  ours: Addresses,
  blocksMax: number,
): Promise<Poll> {
  if (cursor === null) return toPoll(chain, { checkpoints: await firstCheckpoints(chain) }, [], []);
  const { checkpoints, statesHeight, unknownStates, askedHeight } = readCursor(cursor);
  const { kept, orphanedBlockHashes } = await findFork(chain, checkpoints);
  const start: Progress = {
    chain,
    ours,
    blocksMax,
    payments: [],
    checkpoints: kept,
    // What is left of the chain was explained.
    statesHeight: Math.min(statesHeight ?? kept[0]![0], kept.at(-1)![0]),
    unknownStates,
  };
  const final = await readFinal(start);
  const hasNewFinal = final.checkpoints[0]![0] > kept[0]![0];
  const explained = chain.reading.hasNativeCoin ? await readNative(final, hasNewFinal) : final;
  const progress = await readRecent(explained);
  if (progress.checkpoints.length > CHECKPOINTS_MAX)
    throw new ChainUnavailable('LAGGING', `no block after ${progress.checkpoints[0]![0]} has become final`);
  const further = await askFurther(progress, askedHeight ?? checkpoints[0]![0]);
  const payments = [...progress.payments, ...further.facts];
  const poll = toPoll(chain, { ...progress, askedHeight: further.askedHeight }, payments, orphanedBlockHashes);
  return { ...poll, warnings: [...(poll.warnings ?? []), ...further.warnings] };
}

function askFurther({ chain, ours, blocksMax, checkpoints }: Progress, askedHeight: number) {
  return chain.lookFurther<EvmNode, ObservedPayment>({
    nodes: chain.allNodes,
    used: chain.reading.nodes,
    askedHeight,
    settledHeight: checkpoints[0]![0],
    blocksMax,
    async read(nodes, fromHeight, toHeight) {
      const reading = chain.readingOf(nodes);
      const tokens = await readTokenPayments(reading, { fromHeight, toHeight }, ours);
      if (!reading.hasNativeCoin) return tokens.payments;
      // What was reported as ether that nothing explains is not credited again as a transaction (invoices/moved-deposits.ts).
      const coins = await readNativePayments(reading, { fromHeight, toHeight }, ours, { needsStates: false });
      return [...tokens.payments, ...coins.payments];
    },
  });
}

/** @throws ChainUnavailable if the block is not final */
export async function cursorAt({ head, reading }: Chain, height: number): Promise<string> {
  if (height > head.finalizedHeight)
    throw new ChainUnavailable('LAGGING', `block ${height} is not final yet; block ${head.finalizedHeight} is`);
  const { hash } = await reading.headerAt(height);
  return writeCursor({ checkpoints: [[height, hash]] });
}

/** The first cursor is at the head, with the last final block before it: blocks after that are read again when they are final. */
async function firstCheckpoints({ head, reading }: Chain): Promise<Checkpoint[]> {
  const final = await reading.headerAt(head.finalizedHeight);
  if (final.number === head.height) return [[head.height, head.hash]];
  return [
    [final.number, final.hash],
    [head.height, head.hash],
  ];
}

/** Goes back to the last block that is still in the chain. */
async function findFork({ reading }: Chain, checkpoints: readonly Checkpoint[]) {
  const kept = [...checkpoints];
  const orphanedBlockHashes: string[] = [];
  for (;;) {
    const [height, hash] = kept.at(-1)!;
    if ((await reading.headerAt(height)).hash === hash) return { kept, orphanedBlockHashes };
    orphanedBlockHashes.push(hash);
    kept.pop();
    if (kept.length === 0) {
      throw new ChainUnavailable('DEEP_REORGANISATION', `the final block ${height} has left the chain`);
    }
  }
}

/** Reads logs again once their blocks are final, because nodes may miss some near the head. */
async function readFinal(progress: Progress): Promise<Progress> {
  const { chain, checkpoints, blocksMax, ours } = progress;
  const [finalHeight] = checkpoints[0]!;
  const fromHeight = finalHeight + 1;
  const toHeight = Math.min(chain.head.finalizedHeight, finalHeight + blocksMax);
  if (toHeight < fromHeight) return progress;
  const { payments, last } = await readTokenPayments(chain.reading, { fromHeight, toHeight }, ours);
  return {
    ...progress,
    payments: [...progress.payments, ...payments],
    checkpoints: [[toHeight, last.hash], ...checkpoints.filter(([height]) => height > toHeight)],
  };
}

/** Explains all changes of balances: of final blocks while it catches up, then of `safe` ones, too. */
async function readNative(progress: Progress, hasNewFinal: boolean): Promise<Progress> {
  const { chain, checkpoints, statesHeight, blocksMax, ours } = progress;
  const { head, reading } = chain;
  const [finalHeight] = checkpoints[0]!;
  const isCatchingUp = finalHeight < head.finalizedHeight;
  const toHeight = isCatchingUp
    ? finalHeight
    : Math.min(head.safeHeight, Math.max(finalHeight, statesHeight + blocksMax));
  const fromHeight = statesHeight + 1;
  let next = progress;
  if (fromHeight <= toHeight) {
    const found = await readNativePayments(reading, { fromHeight, toHeight }, ours, { needsStates: false });
    const unknownStates = found.hasStates
      ? progress.unknownStates
      : mergeRanges(progress.unknownStates, [statesHeight, toHeight]);
    next = { ...withPayments(progress, found.payments), statesHeight: toHeight, unknownStates };
  }
  // A source with an archive may have been added.
  return hasNewFinal && !isCatchingUp ? readUnknownStates(next) : next;
}

async function readUnknownStates(progress: Progress): Promise<Progress> {
  const { chain, unknownStates, blocksMax, ours } = progress;
  if (!unknownStates) return progress;
  const [afterHeight, lastHeight] = unknownStates;
  const range = { fromHeight: afterHeight + 1, toHeight: Math.min(lastHeight, afterHeight + blocksMax) };
  const found = await readNativePayments(chain.reading, range, ours, { needsStates: true });
  if (!found.hasStates) return progress;
  const stillUnknown: StateRange | undefined = range.toHeight < lastHeight ? [range.toHeight, lastHeight] : undefined;
  return { ...withPayments(progress, found.payments), unknownStates: stillUnknown };
}

/** Reads blocks that are not final yet. */
async function readRecent(progress: Progress): Promise<Progress> {
  const { chain, checkpoints, blocksMax, ours } = progress;
  const { head, reading } = chain;
  const [finalHeight] = checkpoints[0]!;
  const [scannedHeight] = checkpoints.at(-1)!;
  // While it catches up, each block is read once, as final.
  const isCatchingUp = finalHeight < head.finalizedHeight;
  const toHeight = Math.min(head.height, scannedHeight + blocksMax);
  if (isCatchingUp || toHeight <= scannedHeight) return progress;
  const { payments, last } = await readPayments(reading, { fromHeight: scannedHeight + 1, toHeight }, ours);
  const next = withPayments(progress, payments);
  return { ...next, checkpoints: withCheckpoint(next.checkpoints, [toHeight, last.hash]) };
}

/** A payment in a block that is not final is orphaned with the block, so the block is a checkpoint. */
function withPayments(progress: Progress, payments: readonly ObservedPayment[]): Progress {
  const blocks = payments.map(({ block }): Checkpoint => [block!.height, block!.hash]);
  return {
    ...progress,
    payments: [...progress.payments, ...payments],
    checkpoints: blocks.reduce(withCheckpoint, progress.checkpoints),
  };
}

function withCheckpoint(checkpoints: readonly Checkpoint[], added: Checkpoint): readonly Checkpoint[] {
  const isNeeded = added[0] > checkpoints[0]![0] && checkpoints.every(([height]) => height !== added[0]);
  return isNeeded ? [...checkpoints, added].toSorted(([a], [b]) => a - b) : checkpoints;
}

function toPoll(
  { head }: Chain,
  { checkpoints, statesHeight, unknownStates, askedHeight }: EvmCursor,
  payments: readonly ObservedPayment[],
  orphanedBlockHashes: readonly string[],
): Poll {
  return {
    cursor: writeCursor({ checkpoints, statesHeight, unknownStates, askedHeight }),
    payments,
    orphanedBlockHashes,
    pooledTransactionIds: undefined,
    // Blocks that were not read again after they became final do not count as final yet.
    head: { ...head, finalizedHeight: Math.min(head.finalizedHeight, checkpoints[0]![0]) },
    scannedHeight: checkpoints.at(-1)![0],
    clockErrorMs: CLOCK_ERROR_MS,
    warnings: unknownStates ? [explainUnknown(unknownStates)] : [],
  };
}

const explainUnknown = ([afterHeight, lastHeight]: StateRange) =>
  `no node has the states of the blocks from ${afterHeight} to ${lastHeight}, so coins that contracts sent in them are not found: ` +
  'add the URL of a node with an archive, for some time';
