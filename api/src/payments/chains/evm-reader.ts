/** Turns ranges of blocks into payments that all sources agree on. */
import { toChecksumAddress } from '../derive/evm-address.ts';
import { findUnexplained, openStates, type UnexplainedReceipt } from './evm-balance.ts';
import { parseTransfer, type TokenTransfer, type TransferReader } from './evm-logs.ts';
import type { EvmHeader, EvmNode } from './evm-node.ts';
import { type NativeTransaction, readAllTransactions, readReceipt, readShownTransactions } from './evm-transactions.ts';
import { agree } from './sources.ts';
import { ChainUnavailable, type ObservedPayment, UNEXPLAINED } from './watcher.ts';

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
export type Addresses = ReadonlyMap<string, string>;

export interface Found {
  payments: ObservedPayment[];
  /** The last block of the range. */
  last: EvmHeader;
}

interface Receipt extends Pick<ObservedPayment, 'asset' | 'transactionId' | 'output' | 'units'> {
  /** Lower case, both. */
  sender?: string;
  recipient: string;
  header: EvmHeader;
}

/** What may be shown before it is final. */
export async function readPayments(reading: Reading, range: HeightRange, ours: Addresses): Promise<Found> {
  const { last, result } = await readUnchanged(reading, range, async (last) => [
    ...(await readTokens(reading, range, ours)),
    ...(reading.hasNativeCoin && ours.size > 0
      ? toNativeReceipts(reading, await readShownTransactions(reading, range, last, ours), ours)
      : []),
  ]);
  return { last, payments: result.map((receipt) => toPayment(reading, receipt, ours)) };
}

/** Nodes may have missed logs when the blocks were new. */
export async function readTokenPayments(reading: Reading, range: HeightRange, ours: Addresses): Promise<Found> {
  const { last, result } = await readUnchanged(reading, range, () => readTokens(reading, range, ours));
  return { last, payments: result.map((receipt) => toPayment(reading, receipt, ours)) };
}

/** Without what contracts have sent, which needs states. */
export async function readTransactionPayments(reading: Reading, range: HeightRange, ours: Addresses): Promise<Found> {
  const { last, result } = await readUnchanged(reading, range, (last) =>
    readAllTransactions(reading, range, last, ours),
  );
  return { last, payments: toNativeReceipts(reading, result, ours).map((one) => toPayment(reading, one, ours)) };
}

export interface NativeFound extends Found {
  /** False if it is unknown what contracts have sent: no source has the states, or the only one does not prove them. */
  hasStates: boolean;
}

/**
 * All payments of the native coin, also those that no transaction shows.
 * @param needsStates then nothing is read without states
 */
export async function readNativePayments(
  reading: Reading,
  range: HeightRange,
  ours: Addresses,
  { needsStates }: { needsStates: boolean },
): Promise<NativeFound> {
  const owners = new Set(ours.keys());
  const { nodes, headerAt, signal } = reading;
  const { last, result } = await readUnchanged(reading, range, async (last) => {
    if (ours.size === 0) return { receipts: [], hasStates: true };
    const states = await openStates(nodes, range.fromHeight - 1, owners, signal);
    if (!states && needsStates) return { receipts: [], hasStates: false };
    const transactions = await readAllTransactions(reading, range, last, ours);
    const heights = { fromHeight: range.fromHeight - 1, toHeight: range.toHeight };
    const unexplained = states && (await findUnexplained({ states, headerAt, signal }, heights, owners, transactions));
    const others = await Promise.all((unexplained ?? []).map((one) => toUnexplainedReceipt(reading, one)));
    return {
      receipts: [...toNativeReceipts(reading, transactions, ours), ...others],
      hasStates: unexplained !== undefined,
    };
  });
  const payments = result.receipts.map((receipt) => toPayment(reading, receipt, ours));
  return { last, payments, hasStates: result.hasStates };
}

/** If the last block is the same before and after, everything that was read belongs to one chain. */
async function readUnchanged<Result>(
  { headerAt }: Reading,
  { toHeight }: HeightRange,
  read: (last: EvmHeader) => Promise<Result>,
) {
  const last = await headerAt(toHeight);
  const result = await read(last);
  if ((await headerAt(toHeight)).hash !== last.hash) throw chainChanged(toHeight);
  return { last, result };
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
    const { log, sender, recipient, units } = transfer;
    const header = headers.get(log.blockNumber) ?? (await headerAt(log.blockNumber));
    headers.set(log.blockNumber, header);
    if (header.hash !== log.blockHash) throw chainChanged(log.blockNumber);
    await requireReceipt(reading, transfer, recipients);
    const { transactionHash: transactionId, logIndex: output } = log;
    receipts.push({ asset: 'USDT', transactionId, output, sender, recipient, units, header });
  }
  return receipts;
}

/** @throws ChainUnavailable unless the receipt of the transaction contains the same transfer, or is too large: then its logs were agreed */
async function requireReceipt(
  reading: Reading,
  { log, recipient, units }: TokenTransfer,
  recipients: ReadonlySet<string>,
): Promise<void> {
  const receipt = await readReceipt(reading, log.transactionHash, log.blockHash);
  if (!receipt) return;
  const stored = receipt.logs.find(({ logIndex }) => logIndex === log.logIndex);
  const [confirmed] = stored ? parseTransfer(stored, reading.contract, recipients) : [];
  if (receipt.status === 1n && confirmed?.units === units && confirmed.recipient === recipient) return;
  throw new ChainUnavailable('DISAGREEING', `the receipt of ${log.transactionHash} differs from its logs`);
}

function toNativeReceipts(
  { fundingAddresses }: Reading,
  transactions: readonly NativeTransaction[],
  ours: Addresses,
): Receipt[] {
  return transactions
    .filter(({ transaction: { to, from, value }, receipt: { status } }) => {
      return status === 1n && value > 0n && ours.has(to ?? '') && !fundingAddresses.has(from);
    })
    .map(({ header, transaction: { hash, from, to, value } }) => {
      return { asset: 'ETH', transactionId: hash, output: 0, sender: from, recipient: to!, units: value, header };
    });
}

/** One block may pay several addresses, so the address is part of the id. */
async function toUnexplainedReceipt(
  { headerAt }: Reading,
  { height, recipient, units }: UnexplainedReceipt,
): Promise<Receipt> {
  const transactionId = `${UNEXPLAINED}${height}:${recipient}`;
  return { asset: 'ETH', transactionId, output: 0, recipient, units, header: await headerAt(height) };
}

function toPayment(
  { now }: Reading,
  { sender, recipient, header, ...rest }: Receipt,
  ours: Addresses,
): ObservedPayment {
  return {
    ...rest,
    sender: sender && toChecksumAddress(sender),
    address: ours.get(recipient)!,
    block: { height: header.number, hash: header.hash, time: header.timestamp },
    // A block's time is a few seconds before this poll, or much earlier after an outage. Validators cannot choose it.
    arrivedAt: new Date(Math.min(header.timestamp.getTime(), now().getTime())),
  };
}

const identifyTransfer = ({ log, sender, recipient, units }: TokenTransfer) =>
  [log.transactionHash, log.logIndex, log.blockHash, sender, recipient, units].join(' ');

const chainChanged = (height: number) =>
  new ChainUnavailable('DISAGREEING', `the chain changed at block ${height} while it was read`);
