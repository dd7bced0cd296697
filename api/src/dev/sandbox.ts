/**
 * The sandbox: simulated chains for development, with payments by a click and without real money. All code behind a watcher is the same as
 * for a real chain.
 */
import { createHmac } from 'node:crypto';
import { deriveKey, type SecretKeys } from '../secrets/keys.ts';
import {
  type AddressDeriver,
  ChainUnavailable,
  type ChainWatcher,
  type ObservedPayment,
} from '../payments/chains/watcher.ts';
import { currencyRules } from '../payments/currencies.ts';
import type { RateSource } from '../payments/rates/quote.ts';

export interface SandboxTransaction {
  /** Position on the chain; it only grows. */
  position: bigint;
  transactionId: string;
  asset: string;
  address: string;
  units: bigint;
  createdAt: Date;
  ageMs: number;
}

/** Storage of the simulated transactions. */
export interface SandboxTransactions {
  /** Ordered by position. */
  listAfter(position: bigint): Promise<SandboxTransaction[]>;
  /** Addresses without a payment may be left out. */
  sumByAddress(asset: string, addresses: readonly string[]): Promise<ReadonlyMap<string, bigint>>;
}

/** A block is mined this often, full or empty; its height is the number of these intervals since 1970. */
const BLOCK_MS = 200;
/** A transaction waits this long in the memory pool. */
const POOLED_MS = 400;
/** The cursor lags behind by this time, because a slow commit may add a transaction below a later one. */
const SETTLED_AFTER_MS = 10_000;

const SOURCE = 'sandbox';

export function createSandboxWatcher(transactions: SandboxTransactions): ChainWatcher {
  return {
    async poll(cursor) {
      const found = await transactions.listAfter(cursor === null ? 0n : BigInt(cursor));
      const firstUnsettled = found.findIndex(({ ageMs }) => ageMs < SETTLED_AFTER_MS);
      const settled = firstUnsettled === -1 ? found : found.slice(0, firstUnsettled);
      const payments = found.map(toPayment);
      const newest = found.at(-1);
      // Ages are measured with the clock of the database.
      const nowMs = newest ? newest.createdAt.getTime() + newest.ageMs : Date.now();
      const head = { ...blockAt(nowMs), safeHeight: undefined, finalizedHeight: undefined };
      return {
        cursor: settled.at(-1)?.position.toString() ?? cursor ?? '0',
        payments,
        orphanedBlockHashes: [],
        pooledTransactionIds: undefined,
        head,
        scannedHeight: head.height,
        clockErrorMs: 0,
      };
    },
    confirm: () => Promise.resolve(undefined),
    balanceLimits: { addressesMax: 500, timeMs: 60_000 },
    async balances(asset, addresses) {
      const sums = await transactions.sumByAddress(asset, addresses);
      const { height } = blockAt(Date.now());
      return { height, units: new Map(addresses.map((address) => [address, sums.get(address) ?? 0n])) };
    },
    // Its payments are few: all are read again.
    cursorAt: () => Promise.resolve('0'),
    check() {
      const { height, time } = blockAt(Date.now());
      const sentence = `block ${height} of ${time.toISOString()}`;
      return Promise.resolve([{ source: SOURCE, need: 'newest block', isOk: true, isRequired: true, sentence }]);
    },
    describeHoldings: () =>
      Promise.reject(new ChainUnavailable('INVALID_RESPONSE', 'the sandbox holds nothing that could be swept')),
  };
}

function toPayment({ asset, transactionId, address, units, createdAt, ageMs }: SandboxTransaction): ObservedPayment {
  const block = ageMs < POOLED_MS ? undefined : blockAt(createdAt.getTime() + POOLED_MS);
  return { asset, transactionId, output: 0, address, units, block, arrivedAt: createdAt };
}

function blockAt(ms: number) {
  const height = Math.floor(ms / BLOCK_MS);
  return { height, hash: `sandbox-block-${height}`, time: new Date(height * BLOCK_MS) };
}

const PREFIX = 'sandbox-';
const ADDRESS_HEX_DIGITS = 32;

/** Derives addresses that no real wallet accepts, so that no real money is sent to them. */
export function createSandboxDeriver(secretKeys: SecretKeys): AddressDeriver {
  const key = deriveKey(secretKeys, 'sandbox addresses');
  return (space, index) => {
    const digest = createHmac('sha256', key).update(`${space}:${index}`).digest('hex');
    return `${PREFIX}${space}-${digest.slice(0, ADDRESS_HEX_DIGITS)}`;
  };
}

export function isSandboxAddress(address: string): boolean {
  return address.startsWith(PREFIX);
}

const RATE_E12_OF_CENT = 10n ** 10n;

export const sandboxRates: RateSource = {
  rateE12: (currency) => Promise.resolve(currencyRules[currency].sandboxCents * RATE_E12_OF_CENT),
  rateE12At: (currency) => sandboxRates.rateE12(currency),
  peg: () => Promise.resolve({ isKept: true }),
};
