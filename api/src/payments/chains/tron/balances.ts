/** What addresses hold at a solid block. TRON keeps no older states, and no contract reads many balances at once. */
import { type Balances, ChainUnavailable } from '../watcher.ts';
import { toHexAddress } from './network.ts';
import { mapRateLimited, pause } from './rate-limited.ts';
import { failOf, type TronNode } from './tron-node.ts';

interface BalanceReading {
  /** The one that lags most first. */
  nodes: readonly TronNode[];
  /** A token's, 21 bytes; undefined for TRX. */
  contract: string | undefined;
  /** Requests to each source. */
  perSecond: number;
  signal: AbortSignal;
}

const ATTEMPTS = 3;
const SECOND_MS = 1000;
/** Sources may be some blocks of 3 s apart. */
const WAITS_MAX = 30;
const BALANCE_DIGITS = 64;

/**
 * Answers name no height. So one source is read before a height and the other one after it: what is the same then is the balance at this
 * height, as both sources know it. If anything has moved meanwhile, all are read again.
 * @throws ChainUnavailable if the sources differ even then
 */
export async function readBalances(reading: BalanceReading, addresses: readonly string[]): Promise<Balances> {
  const [first, second = first] = reading.nodes as [TronNode, TronNode?];
  let differing = '';
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const before = await readAll(reading, first, addresses);
    const { height } = await first.solidHead(reading.signal);
    await waitFor(second, height, reading.signal);
    const after = await readAll(reading, second, addresses);
    const units = new Map(addresses.map((address, index) => [address, after[index]!]));
    differing = addresses.find((_, index) => before[index] !== after[index]) ?? '';
    if (differing === '') return { height, units };
  }
  const names = reading.nodes.map(({ transport }) => transport.name).join(' and ');
  throw new ChainUnavailable('DISAGREEING', `${names} disagree about what ${differing} holds`);
}

async function waitFor(node: TronNode, height: number, signal: AbortSignal): Promise<void> {
  for (let waits = 0; waits < WAITS_MAX; waits += 1) {
    if ((await node.solidHead(signal)).height >= height) return;
    await pause(SECOND_MS, signal);
  }
  throw failOf(node, 'LAGGING', `does not have the solid block ${height}`);
}

/** @returns in the order of the addresses */
const readAll = (reading: BalanceReading, node: TronNode, addresses: readonly string[]): Promise<bigint[]> =>
  mapRateLimited(addresses, reading, (address) =>
    readBalance(node, reading.contract, toHexAddress(address), reading.signal),
  );

async function readBalance(node: TronNode, contract: string | undefined, address: string, signal: AbortSignal) {
  if (contract === undefined) return (await node.solidBalance(address, signal)) ?? 0n;
  const parameter = address.slice(-40).padStart(BALANCE_DIGITS, '0');
  const result = await node.callSolid({ contract, signature: 'balanceOf(address)', parameter }, signal);
  if (result?.length === BALANCE_DIGITS) return BigInt(`0x${result}`);
  throw failOf(node, 'INVALID_RESPONSE', 'reads no balance of the contract of USDT');
}
