/** Turns ranges of blocks into payments that all sources agree on. */
import { findUnexplained, type NativeTransaction, readBlocks } from './evm-balance.ts';
import { createTransferReader, parseTransfer, type TransferReader } from './evm-logs.ts';
import type { EvmBlock, EvmHeader, EvmNode, EvmReceipt } from './evm-node.ts';
import { agree } from './sources.ts';
import { ChainUnavailable, type ObservedPayment } from './watcher.ts';

export interface ReaderOptions {
  contract: string;
  hasNativeCoin: boolean;
  /** Lower case. */
  fundingAddresses: ReadonlySet<string>;
  now: () => Date;
}

export interface HeightRange {
  /** Both included. */
  fromHeight: number;
  toHeight: number;
}

/** Lower case to the form in which the address was given. */
type Addresses = ReadonlyMap<string, string>;

export interface EvmReader {
  read(range: HeightRange, ours: Addresses): Promise<Found>;
  /** Finds what no transaction shows too. All blocks of the range must be final. */
  readFinal(range: HeightRange, ours: Addresses): Promise<Found>;
}

interface Found {
  payments: ObservedPayment[];
  /** The last block of the range. */
  last: EvmHeader;
}

/** Blocks have some hundred kilobytes each. */
const BLOCK_CONCURRENCY = 4;

type HeaderOf = (height: number) => Promise<EvmHeader>;

export function createEvmReader(options: ReaderOptions) {
  const { contract, hasNativeCoin, fundingAddresses, now } = options;
  const transferReaders = new WeakMap<EvmNode, TransferReader>();
  const transferReader = (node: EvmNode) => {
    const reader = transferReaders.get(node) ?? createTransferReader(node, contract);
    transferReaders.set(node, reader);
    return reader;
  };

  return (nodes: readonly EvmNode[], headerOf: HeaderOf, signal: AbortSignal): EvmReader => {
    const toPayment = (
      ours: Addresses,
      {
        recipient,
        header,
        ...rest
      }: Pick<ObservedPayment, 'asset' | 'transactionId' | 'output' | 'units'> & {
        recipient: string;
        header: EvmHeader;
      },
    ): ObservedPayment => ({
      ...rest,
      address: ours.get(recipient)!,
      block: { height: header.number, hash: header.hash, time: header.timestamp },
      // A block's time is a few seconds before this poll, or much earlier after an outage. Validators cannot choose it.
      arrivedAt: new Date(Math.min(header.timestamp.getTime(), now().getTime())),
    });

    async function receiptOf(transactionHash: string, blockHash: string): Promise<EvmReceipt> {
      const read = async (node: EvmNode) => {
        const receipt = await node.receipt(transactionHash, signal);
        if (receipt?.blockHash === blockHash) return receipt;
        throw new ChainUnavailable('DISAGREEING', `${node.rpc.name} has no receipt of ${transactionHash} in its block`);
      };
      return agree(nodes, `the receipt of ${transactionHash}`, read, ({ status }) => String(status));
    }

    async function readTransfers({ fromHeight, toHeight }: HeightRange, ours: Addresses) {
      const recipients = new Set(ours.keys());
      const transfers = await agree(
        nodes,
        `transfers in the blocks from ${fromHeight} to ${toHeight}`,
        (node) => transferReader(node).read(fromHeight, toHeight, recipients, signal),
        (transfers) => transfers.map(identifyTransfer).sort().join(),
      );
      const payments: ObservedPayment[] = [];
      const headers = new Map<number, EvmHeader>();
      for (const { log, recipient, units } of transfers) {
        const header = headers.get(log.blockNumber) ?? (await headerOf(log.blockNumber));
        headers.set(log.blockNumber, header);
        if (header.hash !== log.blockHash) throw chainChanged(log.blockNumber);
        const receipt = await receiptOf(log.transactionHash, log.blockHash);
        const stored = receipt.logs.find(({ logIndex }) => logIndex === log.logIndex);
        const [confirmed] = stored ? parseTransfer(stored, contract, recipients) : [];
        if (receipt.status !== 1n || confirmed?.units !== units || confirmed.recipient !== recipient) {
          throw new ChainUnavailable('DISAGREEING', `the receipt of ${log.transactionHash} differs from its logs`);
        }
        const { transactionHash: transactionId, logIndex: output } = log;
        payments.push(toPayment(ours, { asset: 'USDT', transactionId, output, recipient, units, header }));
      }
      return payments;
    }

    async function readTransactions(blocks: readonly EvmBlock[], ours: Addresses): Promise<NativeTransaction[]> {
      const found: NativeTransaction[] = [];
      for (const block of blocks) {
        for (const transaction of block.transactions) {
          const isReceipt = transaction.value > 0n && ours.has(transaction.to ?? '');
          if (!isReceipt && !ours.has(transaction.from)) continue;
          found.push({ block, transaction, receipt: await receiptOf(transaction.hash, block.hash) });
        }
      }
      return found;
    }

    const toNativePayments = (transactions: readonly NativeTransaction[], ours: Addresses) =>
      transactions
        .filter(({ transaction: { to, from, value }, receipt }) => {
          const isPayment = receipt.status === 1n && value > 0n && ours.has(to ?? '');
          return isPayment && !fundingAddresses.has(from);
        })
        .map(({ block, transaction: { hash, to, value } }) =>
          toPayment(ours, {
            asset: 'ETH',
            transactionId: hash,
            output: 0,
            recipient: to!,
            units: value,
            header: block,
          }),
        );

    /** Whatever was read belongs to one chain if the last block is the same before and after. */
    async function readRange(range: HeightRange, ours: Addresses) {
      const last = await headerOf(range.toHeight);
      const tokens = await readTransfers(range, ours);
      if (!hasNativeCoin) return { last, tokens, transactions: [] };
      const blocks = await readBlocks(nodes[0]!, { ...range, concurrency: BLOCK_CONCURRENCY }, signal);
      if (blocks.at(-1)!.hash !== last.hash) throw chainChanged(range.toHeight);
      return { last, tokens, transactions: await readTransactions(blocks, ours) };
    }

    async function read(range: HeightRange, ours: Addresses): Promise<Found> {
      const { last, tokens, transactions } = await readRange(range, ours);
      if ((await headerOf(range.toHeight)).hash !== last.hash) throw chainChanged(range.toHeight);
      return { last, payments: [...tokens, ...toNativePayments(transactions, ours)] };
    }

    async function readFinal(range: HeightRange, ours: Addresses): Promise<Found> {
      const { last, tokens, transactions } = await readRange(range, ours);
      const payments = [...tokens, ...toNativePayments(transactions, ours)];
      if (!hasNativeCoin) return { last, payments };
      const owners = new Set(ours.keys());
      const states = { fromHeight: range.fromHeight - 1, toHeight: range.toHeight };
      for (const { height, recipient, units } of await findUnexplained(nodes, states, owners, transactions, signal)) {
        // One block may pay several addresses, so the address is part of the id.
        const transactionId = `balance:${height}:${recipient}`;
        const header = await headerOf(height);
        payments.push(toPayment(ours, { asset: 'ETH', transactionId, output: 0, recipient, units, header }));
      }
      return { last, payments };
    }

    return { read, readFinal };
  };
}

const identifyTransfer = ({
  log,
  recipient,
  units,
}: {
  log: { transactionHash: string; logIndex: number; blockHash: string };
  recipient: string;
  units: bigint;
}) => [log.transactionHash, log.logIndex, log.blockHash, recipient, units].join(' ');

const chainChanged = (height: number) =>
  new ChainUnavailable('DISAGREEING', `the chain changed at block ${height} while it was read`);
