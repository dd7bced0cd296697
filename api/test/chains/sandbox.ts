/** The sandbox as a chain whose time a test controls. */
import assert from 'node:assert/strict';
import { vi } from 'vitest';
import { createSandboxWatcher, type SandboxTransaction } from '../../src/dev/sandbox.ts';
import { isFinal, sandboxFinality } from '../../src/payments/finality.ts';
import type { LocalChain, Payout } from './local-chain.ts';

const BLOCK_MS = 200;
const UNITS = 25_000n;

const impossible = () => assert.fail('the sandbox never reorganises');

/** It has no nodes, never reorganises, and has no fake payments. */
export function startSandbox(): Promise<LocalChain> {
  // Ages are measured with the clock of the database; here it is that of the process.
  vi.useFakeTimers({ toFake: ['Date'] });
  const all: Omit<SandboxTransaction, 'ageMs'>[] = [];
  let addresses = 0;
  const send = ({ address, units }: Payout): string => {
    const position = BigInt(all.length + 1);
    const transactionId = `sandbox-${position}`;
    all.push({ position, transactionId, asset: 'BTC', address, units, createdAt: new Date() });
    return transactionId;
  };
  return Promise.resolve({
    name: 'the sandbox',
    asset: 'BTC',
    hasMemoryPool: true,
    showsTransactionOfBatch: true,
    units: UNITS,
    dustUnits: 1n,
    blocksUntilFinal: 6,
    isFinal: ({ block }, { head }) =>
      isFinal(sandboxFinality, { valueMicros: undefined, blockHeight: block!.height, confirmationsMin: 0 }, head),
    url: '',
    createWatcher: () =>
      createSandboxWatcher({
        listAfter: (after) =>
          Promise.resolve(
            all
              .filter(({ position }) => position > after)
              .map((each) => ({ ...each, ageMs: Date.now() - each.createdAt.getTime() })),
          ),
        sumByAddress(_asset, wanted) {
          const sums = new Map<string, bigint>();
          for (const { address, units } of all)
            if (wanted.includes(address)) sums.set(address, (sums.get(address) ?? 0n) + units);
          return Promise.resolve(sums);
        },
      }),
    newAddress: () => Promise.resolve(`sandbox-address-${++addresses}`),
    /** It has one payment in each transaction. */
    pay: (...payouts) => Promise.resolve(payouts.map(send).at(-1)!),
    mine: async (blocks) => void vi.setSystemTime(Date.now() + blocks * BLOCK_MS),
    reorganise: impossible,
    includeAgain: impossible,
    fakePayments: {},
    end: async () => void vi.useRealTimers(),
  });
}
