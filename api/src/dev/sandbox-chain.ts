/**
 * The sandbox: simulated chains for development, with payments by a click and without real money. All code behind a watcher is the same as
 * for a real chain.
 */
import { createHmac } from 'node:crypto';
import { deriveKey, type SecretKeys } from '../keys.ts';
import type { AddressDeriver, ChainWatcher, PaymentStage } from '../payments/chains/watcher.ts';

export interface SandboxTransaction {
  /** Position on the chain; it only grows. */
  height: bigint;
  transactionId: string;
  asset: string;
  address: string;
  units: bigint;
  createdAt: Date;
  ageMs: number;
}

/** Storage of the simulated transactions. */
export interface SandboxTransactions {
  /** Ordered by height. */
  listAfter(height: bigint): Promise<SandboxTransaction[]>;
}

export interface SandboxTimes {
  includedAfterMs: number;
  finalAfterMs: number;
  /** The cursor lags behind by this time, because a slow commit may add a transaction below a later one. */
  settledAfterMs: number;
}

const defaultTimes: SandboxTimes = { includedAfterMs: 400, finalAfterMs: 1000, settledAfterMs: 10_000 };

export function createSandboxWatcher(
  transactions: SandboxTransactions,
  times: SandboxTimes = defaultTimes,
): ChainWatcher {
  return {
    async poll(cursor) {
      const found = await transactions.listAfter(cursor === null ? 0n : BigInt(cursor));
      const firstUnsettled = found.findIndex(({ ageMs }) => ageMs < times.settledAfterMs);
      const settled = firstUnsettled === -1 ? found : found.slice(0, firstUnsettled);
      return {
        cursor: settled.at(-1)?.height.toString() ?? cursor,
        payments: found.map(({ createdAt, ageMs, transactionId, asset, address, units }) => ({
          asset,
          transactionId,
          output: 0,
          address,
          units,
          stage: toStage(ageMs, times),
          arrivedAt: createdAt,
        })),
      };
    },
  };
}

function toStage(ageMs: number, { includedAfterMs, finalAfterMs }: SandboxTimes): PaymentStage {
  if (ageMs >= finalAfterMs) return 'FINAL';
  return ageMs >= includedAfterMs ? 'INCLUDED' : 'SEEN';
}

const PREFIX = 'sandbox-';
const ADDRESS_HEX_DIGITS = 32;

/** Derives addresses that no real wallet accepts, so that nobody sends real money to them. */
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
