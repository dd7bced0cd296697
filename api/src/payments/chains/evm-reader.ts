/** Turns ranges of blocks into payments that all sources agree on. */
import { z } from 'zod';
import { findUnexplained, type NativeTransaction, readBlocks } from './evm-balance.ts';
import { parseTransfer, type TokenTransfer, type TransferReader } from './evm-logs.ts';
import type { EvmBlock, EvmHeader, EvmNode, EvmReceipt, EvmTransaction } from './evm-node.ts';
import { agree } from './sources.ts';
import { ChainUnavailable, type ObservedPayment } from './watcher.ts';

/** The dependencies of one poll. */
export interface Reading {
  nodes: readonly EvmNode[];
  /** The token's. */
  contract: string;
  hasNativeCoin: boolean;
  /** Lower case. */
  fundingAddresses: ReadonlySet<string>;
  now: () => Date;
  signal: AbortSignal;
  /** Reads a header of the chain that the sources agree on. */
  headerAt: (height: number) => Promise<EvmHeader>;
  transferReaderFor: (node: EvmNode) => TransferReader;
}

export interface HeightRange {
  /** Both included. */
  fromHeight: number;
  toHeight: number;
}

/** Lower case -> the form in which the address was given. */
type Addresses = ReadonlyMap<string, string>;

export interface Found {
  payments: ObservedPayment[];
  /** The last block of the range. */
  last: EvmHeader;
}

interface Receipt extends Pick<ObservedPayment, 'asset' | 'transactionId' | 'output' | 'units'> {
  /** Lower case. */
  recipient: string;
  header: EvmHeader;
}

/** Blocks have some hundred kilobytes each. */
const BLOCK_CONCURRENCY = 4;

export async function readPayments(reading: Reading, range: HeightRange, ours: Addresses): Promise<Found> {
  const { last, tokens, transactions } = await readRange(reading, range, ours);
  const receipts = [...tokens, ...toNativeReceipts(reading, transactions, ours)];
  return { last, payments: receipts.map((receipt) => toPayment(reading, receipt, ours)) };
}

/** Also finds payments that no transaction shows. All blocks of the range must be final. */
export async function readFinalPayments(reading: Reading, range: HeightRange, ours: Addresses): Promise<Found> {
  const { last, tokens, transactions } = await readRange(reading, range, ours);
  const receipts = [...tokens, ...toNativeReceipts(reading, transactions, ours)];
  if (reading.hasNativeCoin) {
    const states = { fromHeight: range.fromHeight - 1, toHeight: range.toHeight };
    const owners = new Set(ours.keys());
    for (const unexplained of await findUnexplained(reading.nodes, states, owners, transactions, reading.signal)) {
      const { height, recipient, units } = unexplained;
      const header = await reading.headerAt(height);
      // One block may pay several addresses, so the address is part of the id.
      receipts.push({
        asset: 'ETH',
        transactionId: `balance:${height}:${recipient}`,
        output: 0,
        recipient,
        units,
        header,
      });
    }
  }
  return { last, payments: receipts.map((receipt) => toPayment(reading, receipt, ours)) };
}

/** If the last block is the same before and after, everything that was read belongs to one chain. */
async function readRange(reading: Reading, range: HeightRange, ours: Addresses) {
  const last = await reading.headerAt(range.toHeight);
  const tokens = await readTokens(reading, range, ours);
  const transactions = reading.hasNativeCoin ? await readTransactions(reading, range, last, ours) : [];
  if ((await reading.headerAt(range.toHeight)).hash !== last.hash) throw chainChanged(range.toHeight);
  return { last, tokens, transactions };
}

async function readTokens(reading: Reading, range: HeightRange, ours: Addresses): Promise<Receipt[]> {
  const { nodes, signal, headerAt, transferReaderFor } = reading;
  const recipients = new Set(ours.keys());
  const { fromHeight, toHeight } = range;
  const transfers = await agree(
    nodes,
    `transfers in the blocks from ${fromHeight} to ${toHeight}`,
    (node) => transferReaderFor(node).read(fromHeight, toHeight, recipients, signal),
    (transfers) => transfers.map(identifyTransfer).sort().join(),
  );
  const receipts: Receipt[] = [];
  const headers = new Map<number, EvmHeader>();
  for (const transfer of transfers) {
    const { log, recipient, units } = transfer;
    const header = headers.get(log.blockNumber) ?? (await headerAt(log.blockNumber));
    headers.set(log.blockNumber, header);
    if (header.hash !== log.blockHash) throw chainChanged(log.blockNumber);
    await requireReceipt(reading, transfer, recipients);
    const { transactionHash: transactionId, logIndex: output } = log;
    receipts.push({ asset: 'USDT', transactionId, output, recipient, units, header });
  }
  return receipts;
}

/** @throws ChainUnavailable unless the receipt of the transaction contains the same transfer */
async function requireReceipt(
  reading: Reading,
  { log, recipient, units }: TokenTransfer,
  recipients: ReadonlySet<string>,
): Promise<void> {
  const receipt = await readReceipt(reading, log.transactionHash, log.blockHash);
  const stored = receipt.logs.find(({ logIndex }) => logIndex === log.logIndex);
  const [confirmed] = stored ? parseTransfer(stored, reading.contract, recipients) : [];
  if (receipt.status === 1n && confirmed?.units === units && confirmed.recipient === recipient) return;
  throw new ChainUnavailable('DISAGREEING', `the receipt of ${log.transactionHash} differs from its logs`);
}

async function readReceipt(
  { nodes, signal }: Reading,
  transactionHash: string,
  blockHash: string,
): Promise<EvmReceipt> {
  const read = async (node: EvmNode) => {
    const receipt = await node.receipt(transactionHash, signal);
    if (receipt?.blockHash === blockHash) return receipt;
    throw new ChainUnavailable('DISAGREEING', `${node.rpc.name} has no receipt of ${transactionHash} in its block`);
  };
  return agree(nodes, `the receipt of ${transactionHash}`, read, ({ status }) => String(status));
}

/** Successful and failed ones from and to our addresses. */
async function readTransactions(
  reading: Reading,
  range: HeightRange,
  last: EvmHeader,
  ours: Addresses,
): Promise<NativeTransaction[]> {
  const { nodes, signal } = reading;
  const blocks = await readBlocks(nodes[0]!, { ...range, concurrency: BLOCK_CONCURRENCY }, signal);
  if (blocks.at(-1)!.hash !== last.hash) throw chainChanged(range.toHeight);
  const found: NativeTransaction[] = [];
  for (const block of blocks) {
    for (const transaction of await agreedTransactions(nodes, block, ours, signal)) {
      found.push({ block, transaction, receipt: await readReceipt(reading, transaction.hash, block.hash) });
    }
  }
  return found;
}

/** The first node's block, whose hash does not prove its body: the others must report the same senders, recipients and amounts. */
async function agreedTransactions(
  nodes: readonly EvmNode[],
  block: EvmBlock,
  ours: Addresses,
  signal: AbortSignal,
): Promise<EvmTransaction[]> {
  if (concerning(block, ours).length === 0) return [];
  const [first] = nodes;
  const read = async (node: EvmNode) => {
    const same = node === first ? block : await node.block(block.number, signal);
    if (same?.hash === block.hash) return concerning(same, ours);
    throw chainChanged(block.number);
  };
  return agree(nodes, `the transactions of block ${block.number}`, read, (transactions) =>
    transactions.map(({ hash, from, to, value }) => [hash, from, to, value].join(' ')).join(),
  );
}

const concerning = ({ transactions }: EvmBlock, ours: Addresses) =>
  transactions.filter(({ from, to, value }) => (value > 0n && ours.has(to ?? '')) || ours.has(from));

function toNativeReceipts(
  { fundingAddresses }: Reading,
  transactions: readonly NativeTransaction[],
  ours: Addresses,
): Receipt[] {
  return transactions
    .filter(({ transaction: { to, from, value }, receipt: { status } }) => {
      return status === 1n && value > 0n && ours.has(to ?? '') && !fundingAddresses.has(from);
    })
    .map(({ block, transaction: { hash, to, value } }) => {
      return { asset: 'ETH', transactionId: hash, output: 0, recipient: to!, units: value, header: block };
    });
}

function toPayment({ now }: Reading, { recipient, header, ...rest }: Receipt, ours: Addresses): ObservedPayment {
  return {
    ...rest,
    address: ours.get(recipient)!,
    block: { height: header.number, hash: header.hash, time: header.timestamp },
    // A block's time is a few seconds before this poll, or much earlier after an outage. Validators cannot choose it.
    arrivedAt: new Date(Math.min(header.timestamp.getTime(), now().getTime())),
  };
}

const identifyTransfer = ({ log, recipient, units }: TokenTransfer) =>
  [log.transactionHash, log.logIndex, log.blockHash, recipient, units].join(' ');

const chainChanged = (height: number) =>
  new ChainUnavailable('DISAGREEING', `the chain changed at block ${height} while it was read`);

/**
 * Blocks whose hashes are remembered, ascending: the last one that was read as final, those after it that contain payments, and
 * where each poll ended. Any change of the chain changes the hash of the last one.
 */
export type Checkpoint = readonly [height: number, hash: string];

export const CHECKPOINTS_MAX = 300;

const cursorSchema = z.object({
  checkpoints: z
    .array(z.tuple([z.number().int(), z.string()]))
    .min(1)
    .max(CHECKPOINTS_MAX),
});

/** @throws ZodError if it was not written by `writeCursor` */
export const readCursor = (cursor: string): Checkpoint[] => cursorSchema.parse(JSON.parse(cursor)).checkpoints;
export const writeCursor = (checkpoints: readonly Checkpoint[]): string => JSON.stringify({ checkpoints });

/** @throws ChainUnavailable if the block is not final */
export async function cursorAt(reading: Reading, height: number, finalizedHeight: number): Promise<string> {
  if (height > finalizedHeight)
    throw new ChainUnavailable('LAGGING', `block ${height} is not final yet; block ${finalizedHeight} is`);
  const { hash } = await reading.headerAt(height);
  return writeCursor([[height, hash]]);
}
