/** A chain of TRON, its sources, a watcher of some addresses and what it has found, for one test. */
import { onTestFinished } from 'vitest';
import { createTronWatcher, type TronWatcherOptions } from '../../../src/payments/chains/tron/tron-watcher.ts';
import { createObserver } from '../observer.ts';
import { TronChain } from './chain.ts';
import { createSender, randomTronAddress } from './local-tron.ts';
import { startTronNode } from './node.ts';
import { PATIENT_MS } from '../patience.ts';

/** After these, all earlier payments are final. */
const BLOCKS_UNTIL_FINAL = 22;
const BLOCKS_PER_POLL_MAX = 4;

interface Options extends Partial<Omit<TronWatcherOptions, 'urls' | 'now'>> {
  sources?: number;
  addresses?: number;
}

/** The watcher has polled once. */
export async function openTron({ sources = 2, addresses: count = 2, ...options }: Options = {}) {
  const chain = new TronChain();
  const nodes = await Promise.all(Array.from({ length: sources }, () => startTronNode(chain)));
  onTestFinished(() => Promise.all(nodes.map((node) => node.close())).then(() => undefined));
  const addresses = Array.from({ length: count }, randomTronAddress);
  const urls = nodes.map(({ url }) => url);
  const createWatcher = (more: Partial<TronWatcherOptions> = {}) =>
    createTronWatcher({ urls, now: chain.now, timeoutMs: PATIENT_MS, requestsPerSecond: 1000, ...options, ...more });
  const watcher = createWatcher();
  const observer = createObserver(watcher, new Set(addresses), ({ block }, { head }) => {
    return block!.height <= head.finalizedHeight!;
  });
  await observer.poll();
  return {
    chain,
    nodes,
    addresses: addresses as [string, string],
    watcher,
    createWatcher,
    observer,
    send: createSender(chain),
    /** @returns why the poll has failed; undefined if it has not */
    problem: async (): Promise<string | undefined> => {
      try {
        await observer.poll();
        return undefined;
      } catch (error) {
        return (error as { reason?: string }).reason ?? String(error);
      }
    },
    /** As in production: a poll after every few blocks. */
    advance: async (blocks: number): Promise<void> => {
      for (let left = blocks; left > 0; left -= BLOCKS_PER_POLL_MAX) {
        chain.mine(Math.min(left, BLOCKS_PER_POLL_MAX));
        await observer.poll();
      }
    },
    makeFinal: async () => {
      chain.mine(BLOCKS_UNTIL_FINAL);
      await observer.catchUp();
    },
  };
}
