/** What a signature of a sweep needs from Ethereum and BSC: balances, also for the fee, nonces, and a suggestion for the fee. */
import { z } from 'zod';
import type { ChainHoldings, AddressBalances } from '../holdings-file.ts';
import type { EvmNode } from './evm-node.ts';
import { type ChainWith, descriptors } from './descriptors.ts';
import { listFrozen } from './evm-token.ts';
import { SourceRefusal } from './refusals.ts';
import type { Reading } from './evm-reader.ts';
import { readBalances } from './multicall.ts';
import { agree } from './sources.ts';
import type { Balances } from './watcher.ts';

/** Four calls of Multicall3. */
export const BALANCE_LIMITS = { addressesMax: 2000, timeMs: 60_000 };
const NONCES_AT_ONCE = 8;
const GWEI = 10n ** 9n;
/** The price may double before the sweep is in a block; what is not used stays at the address. */
const PRICE_FACTOR = 2n;

const quantity = z
  .string()
  .regex(/^0x[0-9a-f]{1,32}$/i)
  .transform(BigInt);

/** @param asset USDT; any other is the native coin */
export async function readAgreedBalances(
  { nodes, contract, signal }: Reading,
  height: number,
  asset: string,
  addresses: readonly string[],
): Promise<Balances> {
  const token = asset === 'USDT' ? contract : undefined;
  const owners = addresses.map((one) => one.toLowerCase());
  const balances = await agree(
    nodes,
    `balances after block ${height}`,
    (node) => readBalances(node, token, owners, height, signal),
    (balances) => owners.map((owner) => balances.get(owner)).join(),
  );
  return { height, units: new Map(addresses.map((one) => [one, balances.get(one.toLowerCase())!])) };
}

/** @param height final */
export async function describeEvmHoldings(
  { chain, usdtContract: contract }: { chain: ChainWith<'evm'>; usdtContract: string },
  reading: Reading,
  height: number,
  held: readonly AddressBalances[],
): Promise<ChainHoldings> {
  const { chainId } = descriptors[chain].evm;
  const { coin } = descriptors[chain].sweep;
  const { signal } = reading;
  const node = reading.nodes[0]!;
  const addresses = held.map(({ address }) => address);
  const { units: coins } = await readAgreedBalances(reading, height, coin, addresses);
  const { units: tokens } = await readAgreedBalances(reading, height, 'USDT', addresses);
  const owners = addresses.map((address) => address.toLowerCase());
  const frozen = await listFrozen(node, reading.contract, owners, height, signal);
  const nonces = await readNonces(node, addresses, signal);
  return {
    chain,
    chainId,
    fee: await suggestFee(node, signal),
    addresses: held.map(({ account, index, address }) => ({
      account,
      index,
      address,
      nonce: nonces.get(address)!,
      assets: [
        { asset: coin, units: String(coins.get(address)!) },
        { asset: 'USDT' as const, contract, units: String(tokens.get(address)!) },
      ].filter(({ units }) => units !== '0'),
      notes: frozen.has(address.toLowerCase())
        ? ['The issuer of USDT has frozen this address: its USDT cannot be moved.']
        : [],
    })),
  };
}

/** Transactions that are not in a block yet count, so that a sweep does not replace the one before. */
async function readNonces(node: EvmNode, addresses: readonly string[], signal: AbortSignal) {
  const nonces = new Map<string, number>();
  const queue = addresses.values();
  const readQueue = async () => {
    for (const address of queue)
      nonces.set(
        address,
        Number(await node.rpc.call('eth_getTransactionCount', [address, 'pending'], quantity, signal)),
      );
  };
  await Promise.all(Array.from({ length: NONCES_AT_ONCE }, readQueue));
  return nonces;
}

async function suggestFee(node: EvmNode, signal: AbortSignal) {
  const price = await node.rpc.call('eth_gasPrice', [], quantity, signal);
  const tip = await node.rpc.call('eth_maxPriorityFeePerGas', [], quantity, signal).catch((error: unknown) => {
    if (error instanceof SourceRefusal) return GWEI;
    throw error;
  });
  const maxFee = price * PRICE_FACTOR;
  return { maxFeePerGas: String(maxFee), maxPriorityFeePerGas: String(tip < maxFee ? tip : maxFee) };
}
