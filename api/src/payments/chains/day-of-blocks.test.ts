/**
 * A worker that was down, in the long run for a day, reads every block of that time, in the ranges of its chain.
 * @module-tag thorough
 */
import { expect, test } from 'vitest';
import { createFakeEvmChain, serveEvm } from '../../../test/chains/fake-evm.ts';
import { createFakeUtxoChain, genesisHash, serveUtxo } from '../../../test/chains/fake-utxo.ts';
import { startFakeNode } from '../../../test/chains/test-node.ts';
import { createEvmWatcher } from './evm.ts';
import { createUtxoWatcher } from './utxo-rpc.ts';
import type { ChainWatcher, ObservedPayment } from './watcher.ts';
import { witnessScript } from './utxo-node.ts';
import { scaled } from '../../../../tools/test-scale.ts';

const HEAD = 1000;
/** The maximum number of polls in one run of the worker; the next run follows within seconds. */
const POLLS_MAX = 100;
const signal = new AbortController().signal;

/** @param advance moves the head */
async function readMissed(watcher: ChainWatcher, address: string, advance: () => void) {
  const addresses = new Set([address]);
  let { cursor } = await watcher.poll(null, addresses, signal);
  advance();
  const payments = new Map<string, ObservedPayment>();
  for (let polls = 1; polls <= POLLS_MAX; polls++) {
    const poll = await watcher.poll(cursor, addresses, signal);
    for (const payment of poll.payments)
      payments.set(`${payment.transactionId} ${payment.output} ${payment.block?.hash}`, payment);
    cursor = poll.cursor;
    if (poll.scannedHeight === poll.head.height)
      return { polls, heights: [...payments.values()].map(({ block }) => block!.height) };
  }
  throw new Error(`the head was not reached in ${POLLS_MAX} polls`);
}

test.each([
  ['bitcoin', scaled(48, 144), 'bc', 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'],
  ['litecoin', scaled(48, 576), 'ltc', 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh'],
] as const)('%s: %i blocks', { tags: ['long'] }, async (name, blocks, addressPrefix, address) => {
  const script = witnessScript(address, addressPrefix);
  const paid = [HEAD + 1, HEAD + Math.floor(blocks / 2), HEAD + blocks];
  const chain = createFakeUtxoChain({
    headHeight: HEAD,
    foreignTransactions: 3,
    outputsAt: (height) => (paid.includes(height) ? [[{ script, value: 0.25 }]] : []),
  });
  const { url } = await startFakeNode(serveUtxo(chain));
  const watcher = createUtxoWatcher({ chain: name, urls: [url], network: { genesisHash, addressPrefix } });
  const { heights, polls } = await readMissed(watcher, address, () => (chain.headHeight = HEAD + blocks));
  expect(heights).toEqual(paid);
  expect(polls).toBe(Math.ceil(blocks / 50));
});

test.each([
  // Of 12 s.
  ['ethereum', 1, scaled(400, 7_200)],
  // Of 0.45 s.
  ['bsc', 56, scaled(2_000, 192_000)],
] as const)('%s with chain id %i: %i blocks', { tags: ['long'] }, async (name, chainId, blocks) => {
  const address = `0x${'0a'.repeat(20)}`;
  const end = HEAD + blocks;
  // The newest blocks are left to the next poll.
  const paid = [HEAD + 1, HEAD + Math.floor(blocks / 2), end - 20];
  const chain = createFakeEvmChain({ chainId, headHeight: HEAD, finalizedHeight: HEAD - 10 });
  const { url } = await startFakeNode(serveEvm(chain));
  const watcher = createEvmWatcher({ chain: name, urls: [url], usdtContract: chain.token });
  const { heights } = await readMissed(watcher, address, () =>
    Object.assign(chain, {
      headHeight: end,
      finalizedHeight: end - 5,
      transfers: paid.map((height) => ({ height, to: address, units: 25n })),
    }),
  );
  expect(heights.toSorted((a, b) => a - b)).toEqual(paid);
});
