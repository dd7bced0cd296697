/** A chain of TON with one source of version 3 and one of version 2, as the guide recommends them. */
import { Address, type Transaction } from '@ton/core';
import { createTonWatcher, type TonWatcherOptions } from '../../../src/payments/chains/ton/ton-watcher.ts';
import type { ChainWatcher } from '../../../src/payments/chains/watcher.ts';
import { createObserver, type Observer } from '../observer.ts';
import { type Facade, startFacade } from './facade.ts';
import { optionsFor, randomTonAddress } from './local-ton.ts';
import { rawAddress, TonChain } from './ton-chain.ts';

export interface TwoSources {
  chain: TonChain;
  index: Facade;
  node: Facade;
  urls: readonly string[];
  createWatcher(options?: Partial<TonWatcherOptions>): ChainWatcher;
  /** Watches new addresses from now on. */
  watch(count: number, options?: Partial<TonWatcherOptions>): Promise<Watching>;
  close(): Promise<void>;
}

interface Watching {
  observer: Observer;
  addresses: Address[];
  /** Of each address in the order of the reports: what was reported so far. */
  unitsOf: (address: Address) => bigint[];
}

export async function startTwoSources(): Promise<TwoSources> {
  const chain = await TonChain.start();
  const [index, node] = [await startFacade(chain), await startFacade(chain)];
  const urls = [index.url, node.urlOfV2];
  const createWatcher = (options: Partial<TonWatcherOptions> = {}) =>
    createTonWatcher({ urls, ...optionsFor(chain), ...options });
  return {
    chain,
    index,
    node,
    urls,
    createWatcher,
    async watch(count, options) {
      const texts = Array.from({ length: count }, randomTonAddress);
      const observer = createObserver(createWatcher(options), new Set(texts), isFinal);
      await observer.poll();
      const unitsOf = (address: Address) =>
        observer.finalTo(address.toString({ bounceable: false })).map(({ units }) => units);
      return { observer, addresses: texts.map((text) => Address.parse(text)), unitsOf };
    },
    close: async () => void (await Promise.all([index.close(), node.close()])),
  };
}

type IsFinal = Parameters<typeof createObserver>[2];
const isFinal: IsFinal = ({ block }, { head }) => block!.height <= head.finalizedHeight!;

/** Those on the account. */
export const on = (address: Address, transactions: readonly Transaction[]): Transaction[] =>
  transactions.filter((one) => rawAddress(one.address) === address.toRawString());
