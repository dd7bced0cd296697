/**
 * What every watcher must withstand: of its two or three sources one is hostile, by a seeded random plan. It costs time, but never money:
 * nothing becomes final that was not paid, and once the liar is honest everything that was paid is reported exactly once.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { createRandom, type Random } from '../../../tools/random.ts';
import { scaled } from '../../../tools/test-scale.ts';
import {
  ChainUnavailable,
  type ChainWatcher,
  type ObservedPayment,
  type Poll,
} from '../../src/payments/chains/watcher.ts';
import { type HostileProxy, type Lie, startHostileProxy } from './hostile-proxy.ts';
import { generalLies } from './lies.ts';
import { createObserver } from './observer.ts';

/** How a payment is identified, and what it says. */
export interface Truth extends Pick<ObservedPayment, 'asset' | 'transactionId' | 'output' | 'address' | 'units'> {
  block: { height: number; time: Date };
}

/** A generated chain with honest nodes that share its state. It has no reorganisations. */
export interface GeneratedChain {
  /** Three honest nodes. */
  urls: readonly string[];
  /** A node of another network, with as many blocks. */
  elsewhere: string;
  /** A node of the same blocks, in which nobody has paid us. */
  hiding?: string;
  addresses: ReadonlySet<string>;
  createWatcher: (urls: readonly string[]) => ChainWatcher;
  isFinal: (payment: ObservedPayment, poll: Poll) => boolean;
  /** New blocks with payments, also to others. */
  advance: (random: Random) => void;
  /** Blocks without payments, until all earlier ones are final. */
  makeFinal: () => void;
  /** All payments to the addresses so far. */
  truths: () => Truth[];
  /** Beside the general ones. */
  lies: Record<string, Lie>;
  end: () => void;
}

const ROUNDS = scaled(2, 8);
const POLLS_PER_ROUND = 3;
/** With three, the watcher goes on without the liar; with two, it costs delay. */
const COUNTS = scaled(1, 2) === 1 ? [3] : [2, 3];
const SEEDS = Array.from({ length: scaled(1, 10) }, (_, index) => index + 1);
/** Failures that only cost time. A pause would need the operator. */
const harmless = new Set(['DOWN', 'LAGGING', 'DISAGREEING', 'PRUNED', 'INVALID_RESPONSE', 'THROTTLED']);

export function describeHostileSources(name: string, open: () => Promise<GeneratedChain>): void {
  describe(`the watcher of ${name} with a hostile source`, () => {
    const ends: (() => unknown)[] = [];
    afterEach(async () => {
      for (const end of ends.splice(0)) await end();
    });

    for (const count of COUNTS) {
      it.each(SEEDS)(`of ${count} credits what was paid, seed %i`, { tags: ['long'] }, async (seed) => {
        const chain = await open();
        const liar = await startHostileProxy(chain.urls[0]!, chain.elsewhere);
        ends.push(chain.end, liar.close);
        const found = await runPlan(chain, liar, count, createRandom(seed * 1000 + count));
        expect(found).toEqual(identify(chain.truths()));
      });
    }
  });
}

/** @returns what has become final, once the liar is honest */
async function runPlan(chain: GeneratedChain, liar: HostileProxy, count: number, random: Random): Promise<string[]> {
  const createWatcher = () => chain.createWatcher(shuffle([liar.url, ...chain.urls.slice(1, count)], random));
  const observer = createObserver(createWatcher(), chain.addresses, chain.isFinal);
  await observer.poll();
  const lies = Object.values({ ...generalLies, ...chain.lies });
  for (let round = 0; round < ROUNDS; round += 1) {
    chain.advance(random);
    liar.mood = {
      lie: random.pick(lies),
      topic: random.below(4) === 0 ? undefined : random.pick([...liar.topics].toSorted()),
      percent: random.pick([30, 100]),
      seed: random.below(2 ** 31),
    };
    for (let poll = 0; poll < POLLS_PER_ROUND; poll += 1) {
      // A new watcher prefers no source, as after a restart.
      if (random.below(3) === 0) observer.restart(createWatcher());
      await tryToPoll(observer);
      expectOnly(chain, observer);
    }
  }
  liar.mood = undefined;
  observer.restart(createWatcher());
  await observer.catchUp();
  chain.makeFinal();
  await observer.catchUp();
  return identifyFinal(observer);
}

async function tryToPoll(observer: ReturnType<typeof createObserver>): Promise<void> {
  try {
    const { orphanedBlockHashes } = await observer.poll();
    expect(orphanedBlockHashes).toEqual([]);
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    expect(harmless).toContain(error.reason);
  }
}

/** Nothing is final that was not paid. */
function expectOnly(chain: GeneratedChain, observer: ReturnType<typeof createObserver>): void {
  const paid = new Set(identify(chain.truths()));
  expect(identifyFinal(observer).filter((one) => !paid.has(one))).toEqual([]);
}

const identifyFinal = (observer: ReturnType<typeof createObserver>) =>
  identify(observer.allFinal().map((payment) => ({ ...payment, block: payment.block! })));

function identify(payments: readonly Truth[]): string[] {
  return payments
    .map(({ asset, transactionId, output, address, units, block: { height, time } }) =>
      [asset, transactionId, output, address, units, height, time.toISOString()].join(' '),
    )
    .toSorted();
}

function shuffle<T>(items: readonly T[], random: Random): T[] {
  const rest = [...items];
  return items.map(() => rest.splice(random.below(rest.length), 1)[0]!);
}
