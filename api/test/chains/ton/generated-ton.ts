/** A chain of TON with payments that were executed beforehand, for the suite of hostile sources. */
import { Address, type Transaction } from '@ton/core';
import { createTonWatcher } from '../../../src/payments/chains/ton/ton-watcher.ts';
import type { Poll } from '../../../src/payments/chains/watcher.ts';
import type { Lie } from '../hostile-proxy.ts';
import type { GeneratedChain, Truth } from '../hostile-sources.ts';
import { startFacade } from './facade.ts';
import { optionsFor, randomTonAddress } from './local-ton.ts';
import { type Sending, TON, TonChain } from './ton-chain.ts';

const BATCHES = 20;
const TEST_NETWORK = -3;

const rootOf = (url: string) => new URL(url).origin;

/** Starting the virtual machine takes longer than a test. */
let started: Promise<TonChain> | undefined;

/** @param version of the interface of the first source, which the suite replaces by a liar: its URL has no path */
export async function openTon(version: 'v2' | 'v3'): Promise<GeneratedChain> {
  const chain = await (started ??= TonChain.start());
  const facades = [await startFacade(chain), await startFacade(chain), await startFacade(chain)] as const;
  const elsewhere = await startFacade(chain, { globalId: TEST_NETWORK });
  const texts = [randomTonAddress(), randomTonAddress()];
  const batches = await execute(chain, texts);
  const truths: Truth[] = [];
  const complete = (url: string) => (new URL(url).pathname === '/' ? `${rootOf(url)}/api/${version}` : url);
  const first = chain.transactions.length;
  return {
    urls: [rootOf(facades[0].url), version === 'v3' ? facades[1].urlOfV2 : facades[1].url, facades[2].url],
    elsewhere: rootOf(elsewhere.url),
    addresses: new Set(texts),
    createWatcher(urls) {
      const watcher = createTonWatcher({ urls: urls.map(complete), ...optionsFor(chain) });
      return { ...watcher, poll: async (...args) => withTrueBlocks(chain, await watcher.poll(...args)) };
    },
    isFinal: ({ block }, { head }) => block!.height <= head.finalizedHeight!,
    advance(random) {
      const included = new Set(batches.splice(0, 1 + random.below(2)).flat());
      chain.mine(1, (transaction) => included.has(transaction));
      chain.mine(random.below(3), () => false);
      truths.splice(0, truths.length, ...listTruths(chain, texts, first));
    },
    makeFinal: () => chain.mine(1, () => false),
    truths: () => truths,
    lies,
    end: () => void Promise.all([...facades, elsewhere].map(({ close }) => close())),
  };
}

const lies: Record<string, Lie> = {
  'is not final': ({ payload }) => replaceIn(payload, '"finality":"finalized"', '"finality":"pending"'),
  'has returned it': ({ payload }) => replaceIn(payload, '"bounced":false', '"bounced":true'),
  'has another amount': ({ payload }) => replaceIn(payload, `"value":"`, `"value":"9`),
  'knows an earlier block': ({ payload }) => replaceIn(payload, `"gen_utime":"1`, `"gen_utime":"2`),
};

export const tonLies: readonly Lie[] = Object.values(lies);

/**
 * Version 2 does not say which block of the masterchain contains a transaction, so that an index can name a later or earlier one that exists.
 * All of them are final: neither the payment nor its time depends on it.
 */
function withTrueBlocks(chain: TonChain, poll: Poll): Poll {
  const payments = poll.payments.map((payment) => {
    const { seqno, rootHash, time } = chain.find(payment.transactionId)?.block ?? chain.head;
    const block = { height: seqno, hash: rootHash.toString('hex'), time: new Date(time * 1000) };
    return { ...payment, block };
  });
  return { ...poll, payments };
}

const replaceIn = (payload: unknown, text: string, other: string): unknown =>
  JSON.parse(JSON.stringify(payload ?? null).replaceAll(text, other));

/** Payments in both assets to ours and to others, in the order in which blocks may contain them. */
async function execute(chain: TonChain, texts: readonly string[]): Promise<Transaction[][]> {
  const batches: Transaction[][] = [];
  for (let index = 0; index < BATCHES; index += 1) {
    const to = Address.parse([...texts, randomTonAddress()][index % 3]!);
    const units = BigInt(index + 1);
    const coins: Sending = { to, value: units * TON };
    const message =
      index % 2 === 0 ? coins : chain.tokenTransfer(to, units * 1_000_000n, index % 4 === 1 ? TON / 50n : 0n);
    batches.push(await chain.send(message));
  }
  return batches;
}

/** What the blocks contain: the chain's own state proves it, not the code under test. */
function listTruths(chain: TonChain, texts: readonly string[], first: number): Truth[] {
  return chain.transactions.slice(first).flatMap(({ transaction, hash, account, block }) => {
    const { info } = transaction.inMessage!;
    const at = { transactionId: hash, output: 0, block: { height: block.seqno, time: new Date(block.time * 1000) } };
    return texts.flatMap((address) => {
      const owner = Address.parse(address);
      if (info.type !== 'internal') return [];
      if (account === owner.toRawString()) return [{ ...at, asset: 'TON', address, units: info.value.coins }];
      if (account !== chain.walletOf(owner).toRawString()) return [];
      const units = transaction.inMessage!.body.beginParse().skip(96).loadCoins();
      return [{ ...at, asset: 'USDT', address, units }];
    });
  });
}
