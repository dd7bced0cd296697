/**
 * Whether a node has an index of logs at all. One that was synced with its JSON-RPC turned off, or from a snapshot, answers every filter
 * with an empty list and no error (java-tron#6384, #4987, #6037), and two such nodes would agree.
 */
import { isTooMuch } from '../evm-logs.ts';
import { type EvmLog, TRANSFER_TOPIC } from '../evm-node.ts';
import type { TronInfo } from './answers.ts';
import { TETHER } from './network.ts';
import { to0x } from './token-payments.ts';
import { readContract } from './transaction.ts';
import { failOf, type TronNode } from './tron-node.ts';

/** A minute. On the main network it has more than a thousand transfers of USDT. */
const BLOCKS = 20;

/**
 * @param contract 21 bytes
 * @returns transfers of the token in the last solid blocks
 * @throws ChainUnavailable
 */
export async function requireLogIndex(
  node: TronNode,
  contract: string,
  solidHeight: number,
  signal: AbortSignal,
): Promise<readonly EvmLog[]> {
  const fromHeight = Math.max(0, solidHeight - BLOCKS + 1);
  const logs = await readLogs(node, contract, fromHeight, solidHeight, signal);
  if (logs.length > 0) return logs;
  if (contract !== TETHER && !(await hasTransfers(node, contract, fromHeight, solidHeight, signal))) return logs;
  throw failOf(
    node,
    'INVALID_RESPONSE',
    `finds no transfers of USDT in the blocks from ${fromHeight} to ${solidHeight}: its index of logs is missing, as after a start from a snapshot or with JSON-RPC turned off`,
  );
}

/** Of the last blocks only, if that is too much. */
async function readLogs(
  node: TronNode,
  contract: string,
  fromHeight: number,
  toHeight: number,
  signal: AbortSignal,
): Promise<EvmLog[]> {
  try {
    return await node.logs({ contract: to0x(contract), fromHeight, toHeight }, signal);
  } catch (error) {
    if (!isTooMuch(error) || fromHeight === toHeight) throw error;
    return readLogs(node, contract, Math.ceil((fromHeight + toHeight) / 2), toHeight, signal);
  }
}

/** Another token may be used rarely: the receipts of the last block that calls it decide. */
async function hasTransfers(
  node: TronNode,
  contract: string,
  fromHeight: number,
  toHeight: number,
  signal: AbortSignal,
): Promise<boolean> {
  const blocks = await node.bodies(fromHeight, toHeight, signal);
  const last = blocks.findLast(({ transactions }) =>
    transactions.some(({ raw_data_hex }) => {
      const action = readContract(Buffer.from(raw_data_hex, 'hex'));
      return action?.kind === 'CALL' && action.contract === contract;
    }),
  );
  if (!last) return false;
  const infos = await node.solidInfosOf(last.height, signal);
  const isTransfer = ({ address, topics }: TronInfo['log'][number]) =>
    address === contract.slice(-40) && `0x${topics[0]}` === TRANSFER_TOPIC;
  return infos.some(({ log }) => log.some(isTransfer));
}
