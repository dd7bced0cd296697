/** Asks one source again about a payment that has become solid, before a large credit. */
import type { ObservedPayment } from '../watcher.ts';
import { TRANSFER_TOPIC } from '../evm-node.ts';
import { digest } from './bodies.ts';
import { toHexAddress } from './network.ts';
import { isCalled } from './token-payments.ts';
import { failOf, type TronNode } from './tron-node.ts';

/**
 * @param contract the token's, 21 bytes
 * @throws ChainUnavailable if the source does not know the block as solid yet
 */
export async function isReportedBy(
  node: TronNode,
  payment: ObservedPayment,
  contract: string,
  signal: AbortSignal,
): Promise<boolean> {
  if (!payment.block) return false;
  const { height, hash } = payment.block;
  const block = await node.solidBlock(height, signal);
  if (!block) throw failOf(node, 'LAGGING', `does not have the solid block ${height}`);
  if (block.height !== height || block.id !== hash) return false;
  const to = toHexAddress(payment.address);
  const { transfers, tokenCalls } = digest({ isOurs: (one) => one === to, fundingAddresses, contract }, block);
  const { transactionId, units, output } = payment;
  if (payment.asset === 'TRX') {
    const isShown = transfers.some((one) => one.transactionId === transactionId && one.units === units);
    return isShown && output === 0;
  }
  if (!tokenCalls.has(transactionId)) return false;
  if (!isCalled({ to, units, output }, tokenCalls.get(transactionId), contract)) return false;
  const info = await node.solidInfo(transactionId, signal);
  const log = info?.blockNumber === height && info.receipt.result === 'SUCCESS' ? info.log[output] : undefined;
  if (!log || log.address !== contract.slice(-40) || log.topics.length !== 3) return false;
  const [topic, , recipient] = log.topics;
  const isTransfer = `0x${topic}` === TRANSFER_TOPIC && recipient!.endsWith(to.slice(-40));
  return isTransfer && log.data === units.toString(16).padStart(64, '0');
}

/** Those whose payments were reported are not among them. */
const fundingAddresses: ReadonlySet<string> = new Set();
