/** Transactions from and to our addresses. A block's hash does not prove them here, so sources must agree. */
import type { EvmHeader, EvmNode, EvmReceipt, EvmTransaction } from './evm-node.ts';
import type { Addresses, HeightRange, Reading } from './evm-reader.ts';
import { ignoreTooLarge } from './refusals.ts';
import { agree } from './sources.ts';
import { ChainUnavailable } from './watcher.ts';

/** Successful or failed. */
export interface NativeTransaction {
  header: EvmHeader;
  transaction: EvmTransaction;
  receipt: EvmReceipt;
}

interface Body {
  header: EvmHeader;
  /** Those that concern us. */
  transactions: readonly EvmTransaction[];
}

/** Blocks have some hundred kilobytes each. */
const BLOCK_CONCURRENCY = 4;

/** From the blocks of all sources, so that none can leave out or invent one. */
export async function readAllTransactions(
  reading: Reading,
  range: HeightRange,
  last: EvmHeader,
  ours: Addresses,
): Promise<NativeTransaction[]> {
  const { nodes, signal } = reading;
  const bodies = await agree(
    nodes,
    `the transactions of the blocks from ${range.fromHeight} to ${range.toHeight}`,
    (node) => readBodies(node, range, last, ours, signal),
    (bodies) => bodies.map(identifyBody).join(),
  );
  return addReceipts(reading, bodies);
}

/** From the blocks of one source, to show payments early. It cannot invent one, but it can leave some out. */
export async function readShownTransactions(
  reading: Reading,
  range: HeightRange,
  last: EvmHeader,
  ours: Addresses,
): Promise<NativeTransaction[]> {
  const { nodes, signal } = reading;
  const [first, ...others] = nodes;
  const shown = await readBodies(first!, range, last, ours, signal);
  const bodies: Body[] = [];
  for (const body of shown) {
    const { number } = body.header;
    const read = async (node: EvmNode) => (node === first ? body : readBody(node, number, ours, signal));
    bodies.push(await agree([first!, ...others], `the transactions of block ${number}`, read, identifyBody));
  }
  return addReceipts(reading, bodies);
}

async function addReceipts(reading: Reading, bodies: readonly Body[]): Promise<NativeTransaction[]> {
  const found: NativeTransaction[] = [];
  for (const { header, transactions } of bodies) {
    for (const transaction of transactions) {
      const receipt = await readReceipt(reading, transaction.hash, header.hash);
      // It calls no contract, or is one of our sweeps: it has a few logs.
      if (!receipt) throw new ChainUnavailable('INVALID_RESPONSE', `the receipt of ${transaction.hash} is too large`);
      found.push({ header, transaction, receipt });
    }
  }
  return found;
}

/** The blocks with transactions that concern us; each block of the range is the parent of the next one, up to the last one. */
async function readBodies(
  node: EvmNode,
  { fromHeight, toHeight }: HeightRange,
  last: EvmHeader,
  ours: Addresses,
  signal: AbortSignal,
): Promise<Body[]> {
  const bodies: Body[] = [];
  let previous: EvmHeader | undefined;
  for (let height = fromHeight; height <= toHeight; height += BLOCK_CONCURRENCY) {
    const count = Math.min(BLOCK_CONCURRENCY, toHeight - height + 1);
    const read = Array.from({ length: count }, (_, index) => readBody(node, height + index, ours, signal));
    for (const body of await Promise.all(read)) {
      if (previous && body.header.parentHash !== previous.hash) throw changed(node, body.header.number);
      previous = body.header;
      if (body.transactions.length > 0) bodies.push(body);
    }
  }
  if (previous?.hash !== last.hash) throw changed(node, toHeight);
  return bodies;
}

async function readBody(node: EvmNode, height: number, ours: Addresses, signal: AbortSignal): Promise<Body> {
  const block = await node.block(height, signal);
  if (block?.number !== height) {
    throw new ChainUnavailable('LAGGING', `${node.transport.name} does not have block ${height}`);
  }
  const { transactions, ...header } = block;
  const concerning = transactions.filter(({ from, to, value }) => (value > 0n && ours.has(to ?? '')) || ours.has(from));
  return { header, transactions: concerning };
}

const identifyBody = ({ header, transactions }: Body) =>
  [
    identifyHeader(header),
    ...transactions.map(({ hash, from, to, value }) => [hash, from, to, value].join(' ')),
  ].join();

export const identifyHeader = ({ number, hash, parentHash, timestamp, stateRoot }: EvmHeader) =>
  [number, hash, parentHash, timestamp.getTime(), stateRoot].join(' ');

/**
 * @returns undefined if it has more bytes than are read at all sources, as a stranger's with many logs may have
 * @throws ChainUnavailable unless all sources have it in this block, with the same result and fee
 */
export async function readReceipt(
  { nodes, signal }: Reading,
  transactionHash: string,
  blockHash: string,
): Promise<EvmReceipt | undefined> {
  const read = async (node: EvmNode) => {
    const receipt = await node.receipt(transactionHash, signal).catch(ignoreTooLarge);
    if (receipt === undefined || receipt?.blockHash === blockHash) return receipt;
    throw new ChainUnavailable(
      'DISAGREEING',
      `${node.transport.name} has no receipt of ${transactionHash} in its block`,
    );
  };
  return agree(nodes, `the receipt of ${transactionHash}`, read, (receipt) =>
    [receipt?.status, receipt?.gasUsed, receipt?.effectiveGasPrice, receipt?.blobGasUsed, receipt?.blobGasPrice].join(
      ' ',
    ),
  );
}

const changed = (node: EvmNode, height: number) =>
  new ChainUnavailable('DISAGREEING', `${node.transport.name} changed its chain at block ${height}`);
