/** A chain on which a seeded plan pays, forks and sweeps while one of its sources lies. Its time is simulated. */
import type { Currency } from '@cellhop/contract/invoices.values';
import type { Random } from '../../../../tools/random.ts';
import type { ChainWatcher } from '../../../src/payments/chains/watcher.ts';
import type { Chain } from '../../../src/payments/currencies.ts';
import type { HostileProxy, Lie } from '../hostile-proxy.ts';

export interface RandomChain extends Plan {
  chain: Chain;
  liar: HostileProxy;
  /** Beside the general ones. @param addresses ours, with which it may pretend and hide */
  liesAbout: (addresses: readonly string[]) => readonly Lie[];
  /** With the sources in a random order, as after a restart. */
  createWatcher: () => ChainWatcher;
  end: () => Promise<unknown>;
}

/** What happens on the chain. */
export interface Plan {
  /** In one of the next blocks. */
  pay: (payment: Payment) => Promise<unknown>;
  /** New blocks, with some of what waits. */
  advance: () => unknown;
  /** Other blocks instead of the newest ones, none of which is final. Some of their transactions wait again, and some are lost. */
  fork?: () => void;
  /** The operator takes what an address holds for certain. */
  sweep: (currency: Currency, address: string) => Promise<unknown>;
  /** Until all that was paid is in blocks which are final for every rule. */
  makeFinal: () => unknown;
  /** After `makeFinal`: what the chain contains. */
  paid: () => readonly Paid[];
  /** What sweeps have taken, with their fees. */
  swept: Swept;
}

export interface Payment {
  currency: Currency;
  address: string;
  units: bigint;
}

export interface Paid extends Payment {
  /** Undefined: sent by a contract, so that only balances show it. */
  transactionId: string | undefined;
}

type Swept = ReturnType<typeof createSwept>;

const toKey = (currency: Currency, address: string) => `${currency} ${address}`;

export function createSwept() {
  const sums = new Map<string, bigint>();
  return {
    add: ({ currency, address, units }: Payment): void =>
      void sums.set(toKey(currency, address), (sums.get(toKey(currency, address)) ?? 0n) + units),
    of: (currency: Currency, address: string): bigint => sums.get(toKey(currency, address)) ?? 0n,
  };
}

/** Far ahead of every clock, so that a test has the same times whenever it runs. */
export const START = new Date('2030-01-01T00:00:00.000Z');

export function shuffle<T>(items: readonly T[], random: Random): T[] {
  const rest = [...items];
  return items.map(() => rest.splice(random.below(rest.length), 1)[0]!);
}

export type Forks = ReturnType<typeof createForks>;

/** The names of the blocks of each height, after forks. */
export function createForks() {
  let forks: { from: number; name: string }[] = [];
  let count = 0;
  return {
    /** @param from the first height that another block has */
    begin(from: number): void {
      count += 1;
      forks = [...forks.filter((fork) => fork.from < from), { from, name: `fork ${count}` }];
    },
    at: (height: number): string => forks.findLast(({ from }) => from <= height)?.name ?? 'a',
  };
}
