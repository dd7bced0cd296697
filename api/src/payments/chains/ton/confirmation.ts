/** A transaction counts when two sources say the same about it, whether it is a payment or not, and about the block that contains it. */
import { createLru } from '../../../process/lru.ts';
import { createHash } from 'node:crypto';
import type { ObservedPayment } from '../watcher.ts';
import { findPayment, type WatchedAccounts } from './acceptance.ts';
import type { Accounts } from './accounts.ts';
import { failOf, type MasterBlock, type TonSource } from './source.ts';
import { identify, type TonTransaction } from './transaction.ts';

/**
 * @param first what has served the transaction
 * @param isAgreedBlock both have said the same about it before
 * @returns undefined if the other source does not have the transaction, or not yet
 * @throws ChainUnavailable if it says anything else about it or its block
 */
export async function confirmBySecond(
  first: TonSource,
  second: TonSource,
  transaction: TonTransaction,
  block: MasterBlock,
  isAgreedBlock: boolean,
  signal: AbortSignal,
): Promise<true | undefined> {
  const [other, otherBlock] = await Promise.all([
    second.transaction(transaction, signal),
    isAgreedBlock ? block : second.block(block.seqno, signal),
  ]);
  if (!other || !otherBlock) return undefined;
  const isSameBlock =
    otherBlock.rootHash === block.rootHash &&
    otherBlock.time.getTime() === block.time.getTime() &&
    (other.masterSeqno ?? block.seqno) === block.seqno;
  if (identify(other) === identify(transaction) && isSameBlock) return true;
  throw failOf(
    second,
    'DISAGREEING',
    `says something else about the transaction ${transaction.hash} than ${first.transport.name}`,
  );
}

/** Asks one source again, before a large credit. @throws ChainUnavailable if it cannot know */
export async function isReportedBy(
  source: TonSource,
  nodes: readonly TonSource[],
  payment: ObservedPayment,
  { owner, wallet }: Accounts,
  watched: WatchedAccounts,
  signal: AbortSignal,
): Promise<boolean> {
  const { block, transactionId: hash, asset, units, address, output } = payment;
  if (!block || output !== 0) return false;
  const account = asset === 'TON' ? owner : wallet;
  const lt = source.index ? 0n : await findLt(nodes, hash, signal);
  if (lt === undefined) throw failOf(source, 'LAGGING', `cannot be asked for ${hash}, which no index has now`);
  const transaction = await source.transaction({ account, hash, lt }, signal);
  if (transaction?.account !== account || (transaction.masterSeqno ?? block.height) !== block.height) return false;
  const master = await source.block(block.height, signal);
  if (!master) throw failOf(source, 'LAGGING', `does not have block ${block.height}`);
  const found = findPayment(watched, transaction);
  return master.rootHash === block.hash && found?.asset === asset && found.units === units && found.address === address;
}

/** Version 2 finds a transaction only by its logical time, which any index may tell: the hash proves the answer. */
async function findLt(nodes: readonly TonSource[], hash: string, signal: AbortSignal): Promise<bigint | undefined> {
  for (const { index } of nodes) {
    const found = await index?.byHash(hash, signal).catch(() => undefined);
    if (found) return found.lt;
  }
  return undefined;
}

/** More than one poll can read: those of an attacker would be asked for again at every poll. */
const REMEMBERED_MAX = 250_000;

/** What two sources have agreed on. It spares requests only: after a restart, those of the overlap are confirmed again. */
export interface ConfirmedMemory {
  /** Whether something about the transaction was confirmed, so that no source has to be asked if it is the same. */
  knows(hash: string): boolean;
  /** The transaction before it, as both have said. */
  previousOf(hash: string): TonTransaction['previous'] | undefined;
  /** False if anything of the transaction is different from what was confirmed. */
  has(transaction: TonTransaction, block: MasterBlock): boolean;
  block(seqno: number): MasterBlock | undefined;
  remember(transaction: TonTransaction, block: MasterBlock): void;
}

export function createConfirmedMemory(): ConfirmedMemory {
  const facts = createLru<string, { fact: string; previous: TonTransaction['previous'] }>(REMEMBERED_MAX);
  const blocks = createLru<number, MasterBlock>(REMEMBERED_MAX);
  return {
    knows: (hash) => facts.has(hash),
    previousOf: (hash) => facts.get(hash)?.previous,
    has: (transaction, block) => facts.get(transaction.hash)?.fact === factOf(transaction, block),
    block: (seqno) => blocks.get(seqno),
    remember(transaction, block) {
      facts.set(transaction.hash, { fact: factOf(transaction, block), previous: transaction.previous });
      blocks.set(block.seqno, block);
    },
  };
}

function factOf(transaction: TonTransaction, { seqno, rootHash }: MasterBlock): string {
  return createHash('sha256')
    .update(`${identify(transaction)} ${seqno} ${rootHash}`)
    .digest('hex');
}
