/**
 * Payments in USDT. Receipts have no root on TRON, so that logs cannot be proven: two sources must list the same ones, and each must belong
 * to a transaction of a proven block that has succeeded, and say what its bytes say if it calls the token directly. Blocks are read again
 * until they are solid, because nodes index logs late.
 */
import { createTransferReader, type TokenTransfer, type TransferReader } from '../evm-logs.ts';
import { ignoreTooLarge } from '../refusals.ts';
import { ChainUnavailable, type ObservedPayment } from '../watcher.ts';
import { type BodyReading, digest, prove, readBodies, type ReadBlock } from './bodies.ts';
import { TETHER } from './network.ts';
import type { TokenCall } from './transaction.ts';
import { failOf, type TronNode } from './tron-node.ts';

/** Facts of blocks that are known by their ids, so that they never change; bounded, and nothing is lost without them. */
const REMEMBERED_MAX = 10_000;
/** Those that are not solid yet, and those of one poll that catches up. */
const BLOCKS_REMEMBERED_MAX = 500;

export interface TokenReading extends BodyReading {
  memory: TokenMemory;
}

type TokenMemory = ReturnType<typeof createTokenMemory>;

/** @param contract 21 bytes */
export function createTokenMemory(nodes: readonly TronNode[], contract: string) {
  const readers = new Map(nodes.map((node) => [node, createTransferReader(node, to0x(contract))]));
  return {
    readerOf: (node: TronNode): TransferReader => readers.get(node)!,
    /** By block and log. */
    places: createMemory<number>(REMEMBERED_MAX),
    /** Blocks that are not settled, by their ids. */
    blocks: createMemory<ReadBlock>(BLOCKS_REMEMBERED_MAX),
  };
}

/** Forgets all if it is full. */
function createMemory<Value>(max: number) {
  const values = new Map<string, Value>();
  return {
    get: (key: string) => values.get(key),
    delete: (key: string) => values.delete(key),
    set(key: string, value: Value): void {
      if (values.size >= max) values.clear();
      values.set(key, value);
    },
  };
}

export interface TokenRange {
  fromHeight: number;
  toHeight: number;
  /** Up to here the blocks are solid: what sources say must be equal, and nothing may be missing. */
  solidHeight: number;
  /** The ids of blocks in the range; of old solid ones they may be missing. */
  known: ReadonlyMap<number, string>;
  /** Those that were read in this poll. */
  blocks: readonly ReadBlock[];
}

export interface TokenPayment extends Pick<ObservedPayment, 'transactionId' | 'output' | 'units'> {
  /** 21 bytes, both. */
  from: string;
  to: string;
  block: Pick<ReadBlock, 'height' | 'id' | 'time'>;
}

/** Where a log is: the number of it in its transaction identifies a payment, and no fork changes it. */
interface Place {
  output: number;
  block: ReadBlock;
}

/** @param recipients 21 bytes */
export async function readTokenPayments(
  reading: TokenReading,
  recipients: Iterable<string>,
  range: TokenRange,
): Promise<TokenPayment[]> {
  for (const block of range.blocks) reading.memory.blocks.set(block.id, block);
  const payments = await readListedPayments(reading, recipients, range);
  await requireExpected(reading, range, new Set(payments.map(({ transactionId }) => transactionId)));
  return payments;
}

/** Without the check that none is missing. */
export async function readListedPayments(
  reading: TokenReading,
  recipients: Iterable<string>,
  range: TokenRange,
): Promise<TokenPayment[]> {
  const payments: TokenPayment[] = [];
  for (const { log, sender, recipient, units } of await readAgreedLogs(
    reading,
    new Set([...recipients].map(to0x)),
    range,
  )) {
    const transactionId = log.transactionHash.slice(2);
    const place = await findPlace(reading, range, log, transactionId);
    // Its receipt is late, and the log is read again; or it cannot be sent.
    if (!place) continue;
    const { output, block } = place;
    const payment = { output, units, from: toTron(sender), to: toTron(recipient) };
    if (!isCalled(payment, block.tokenCalls.get(transactionId), reading.contract))
      throw disagreeing(reading.nodes, `the transfer of ${transactionId}, whose bytes say something else`);
    payments.push({ ...payment, transactionId, block });
  }
  return payments;
}

/** Tether may set a fee of less than 20 basis points, which the log does not contain. */
const FEE_SHARE_MIN = 500n;

/**
 * Whether a log of Tether's contract is the one that a direct call of it writes: the first of its transaction, and with the call's amount.
 * @param call undefined if another contract has made the transfer, so that only the sources know it
 */
export function isCalled(
  { to, units, output }: TokenCall & { output: number },
  call: TokenCall | undefined,
  contract: string,
): boolean {
  if (contract !== TETHER || !call) return true;
  return output === 0 && call.to === to && units <= call.units && units >= call.units - call.units / FEE_SHARE_MIN;
}

/** Near the head sources may differ for a while; what both have is agreed. */
async function readAgreedLogs(
  { nodes, memory, signal }: TokenReading,
  recipients: ReadonlySet<string>,
  { fromHeight, toHeight, solidHeight, known }: TokenRange,
): Promise<TokenTransfer[]> {
  const lists = await Promise.all(
    nodes.map((node) => memory.readerOf(node).read(fromHeight, toHeight, recipients, signal)),
  );
  const [first, ...others] = lists.map((list) => new Map(list.map((one) => [identify(one), one])));
  for (const other of others) {
    const difference = [...first!, ...other].find(([key, { log }]) => {
      return log.blockNumber <= solidHeight && !(first!.has(key) && other.has(key));
    });
    if (difference) throw disagreeing(nodes, `the transfers of USDT in block ${difference[1].log.blockNumber}`);
  }
  const agreed = [...first!].flatMap(([key, one]) => (others.every((other) => other.has(key)) ? [one] : []));
  return agreed.filter(({ log: { blockNumber, blockHash } }) => {
    const id = known.get(blockNumber);
    if (id === blockHash.slice(2)) return true;
    if (blockNumber > solidHeight) return false;
    // It is no longer remembered; the sources agree about it.
    if (id === undefined) return true;
    throw disagreeing(nodes, `block ${blockNumber}, whose transfers are of another block`);
  });
}

/** @returns undefined if a receipt is missing in a block that is not solid yet, or if all have more bytes than are read */
async function findPlace(
  reading: TokenReading,
  { solidHeight }: TokenRange,
  log: TokenTransfer['log'],
  transactionId: string,
): Promise<Place | undefined> {
  const { nodes, memory, signal } = reading;
  const key = [log.blockHash, transactionId, log.logIndex, identifyLog(log)].join(' ');
  const block = memory.blocks.get(log.blockHash.slice(2)) ?? (await readAgain(reading, log));
  const remembered = memory.places.get(key);
  if (remembered !== undefined) return { output: remembered, block };
  if (!block.tokenCalls.has(transactionId))
    throw disagreeing(
      nodes,
      `the transaction ${transactionId}, which has transfers but no success in block ${block.height}`,
    );
  const outputs = new Set<number | undefined>();
  for (const node of nodes) {
    const receipt = await node.receipt(transactionId, signal).catch(ignoreTooLarge);
    if (receipt === undefined) {
      outputs.add(undefined);
      continue;
    }
    if (receipt?.blockHash !== log.blockHash) {
      if (log.blockNumber > solidHeight) return undefined;
      throw failOf(node, 'LAGGING', `has no receipt of ${transactionId} in the solid block ${log.blockNumber}`);
    }
    outputs.add(
      receipt.logs.findIndex((one) => one.logIndex === log.logIndex && identifyLog(one) === identifyLog(log)),
    );
  }
  const [output] = outputs;
  // The order of the logs is part of what identifies a payment.
  if (outputs.size !== 1 || output === -1) throw disagreeing(nodes, `the receipt of ${transactionId}`);
  if (output === undefined) return undefined;
  memory.places.set(key, output);
  return { output, block };
}

async function readAgain(reading: TokenReading, { blockNumber, blockHash }: TokenTransfer['log']): Promise<ReadBlock> {
  const [node] = reading.nodes;
  const [block] = await node!.bodies(blockNumber, blockNumber, reading.signal);
  if (block?.id !== blockHash.slice(2)) throw failOf(node!, 'DISAGREEING', `changed its chain at block ${blockNumber}`);
  const read = digest(reading, await prove(reading, node!, block));
  reading.memory.blocks.set(read.id, read);
  return read;
}

/**
 * A node whose index has gaps answers with no logs and no error (java-tron#6384), and two may hide a payment. Blocks show direct transfers
 * to us: their logs must be there. Another token than Tether's may succeed without one, if its receipts say so.
 */
async function requireExpected(reading: TokenReading, range: TokenRange, foundIds: ReadonlySet<string>): Promise<void> {
  const { nodes, contract, isOurs, memory, signal } = reading;
  for (const block of await listSolid(reading, range)) {
    for (const [transactionId, call] of block.tokenCalls) {
      if (!call || call.units === 0n || !isOurs(call.to) || foundIds.has(transactionId)) continue;
      for (const node of nodes) await requireNoTransfer(node, transactionId, call.to, signal);
      if (contract === TETHER)
        throw disagreeing(
          nodes,
          `the transfer of USDT of ${transactionId} in block ${block.height}, which no log shows`,
        );
    }
    memory.blocks.delete(block.id);
  }
}

/** The blocks that are settled now. After a restart they are read again. */
async function listSolid(reading: TokenReading, { fromHeight, solidHeight, known }: TokenRange): Promise<ReadBlock[]> {
  const blocks: ReadBlock[] = [];
  for (let height = fromHeight; height <= solidHeight; height += 1) {
    const block = reading.memory.blocks.get(known.get(height)!);
    if (!block) {
      const after = [height - 1, known.get(height - 1)!] as const;
      const rest = await readBodies(reading, after, solidHeight);
      if (rest?.at(-1)!.id === known.get(solidHeight)) return [...blocks, ...rest!];
      throw disagreeing(reading.nodes, `the blocks after ${after[0]}, which were read before`);
    }
    blocks.push(block);
  }
  return blocks;
}

async function requireNoTransfer(node: TronNode, transactionId: string, to: string, signal: AbortSignal) {
  const info = await node.solidInfo(transactionId, signal);
  if (!info) throw failOf(node, 'LAGGING', `has no receipt of ${transactionId}, which is in a solid block`);
  if (info.log.some(({ topics }) => topics[2]?.endsWith(to.slice(2))))
    throw failOf(node, 'INVALID_RESPONSE', `lists no transfer of USDT of ${transactionId}, whose receipt has one`);
}

const identify = ({ log }: TokenTransfer): string =>
  [log.transactionHash, log.logIndex, log.blockNumber, log.blockHash, identifyLog(log)].join(' ');

const identifyLog = ({ address, topics, data }: TokenTransfer['log']): string => [address, ...topics, data].join(' ');

/** 20 bytes, as the logs have them. By length, because the 20 bytes may begin with 41, too. */
export const to0x = (address: string): string => `0x${address.slice(-40)}`;

const toTron = (address: string): string => `41${address.slice(2)}`;

function disagreeing(nodes: readonly TronNode[], what: string): ChainUnavailable {
  const names = nodes.map(({ transport }) => transport.name).join(' and ');
  return new ChainUnavailable(
    'DISAGREEING',
    `${names} ${nodes.length > 1 ? 'disagree' : 'disagrees with itself'} about ${what}`,
  );
}
