/**
 * Forks of TRON, and what the watcher does while it watches nobody.
 * @module-tag thorough
 */
import { describe, expect, it } from 'vitest';
import { createObserver } from '../../../../test/chains/observer.ts';
import { randomTronAddress } from '../../../../test/chains/tron/local-tron.ts';
import { openTron } from '../../../../test/chains/tron/open-tron.ts';
import { createTronWatcher } from './tron-watcher.ts';

const UNITS = 25_000_000n;
const signal = new AbortController().signal;

const blocksOf = (cursor: string) => (JSON.parse(cursor) as { blocks: unknown[] }).blocks.length;

describe('forks', () => {
  it.each(['trx', 'usdt'] as const)('drop a payment in %s and include it again: it is one', async (kind) => {
    const { chain, addresses, observer, send, makeFinal, advance } = await openTron();
    const [address] = addresses;
    const id = send[kind]({ address, units: UNITS });
    await advance(4);
    expect(observer.includedUnits(address)).toBe(UNITS);
    chain.fork(4, [id]);
    const { orphanedBlockHashes } = await observer.poll();
    expect(orphanedBlockHashes.length).toBeGreaterThan(0);
    expect(observer.includedUnits(address)).toBe(0n);
    chain.fork(2);
    chain.includeAgain(id);
    await advance(4);
    chain.fork(2);
    await makeFinal();
    expect(observer.finalTo(address)).toMatchObject([{ transactionId: id, units: UNITS }]);
  });

  it('leave a payment where it is if they only exchange its block', async () => {
    const { chain, addresses, observer, send, makeFinal, advance } = await openTron();
    const [address] = addresses;
    const id = send.usdt({ address, units: UNITS });
    await advance(4);
    const before = chain.find(id)!.block.id;
    chain.fork(4);
    await observer.poll();
    await makeFinal();
    const [payment] = observer.finalTo(address);
    expect(payment!.block!.hash).toBe(chain.find(id)!.block.id);
    expect(payment!.block!.hash).not.toBe(before);
  });

  it('of solid blocks stop the chain only if both sources report them', async () => {
    const first = await openTron();
    const other = await openTron();
    // The other chain has the same heights.
    expect(other.chain.head.height).toBe(first.chain.head.height);
    const poll = (urls: string[]) =>
      createTronWatcher({ urls, now: first.chain.now }).poll(
        first.observer.lastPoll().cursor,
        new Set(first.addresses),
        signal,
      );
    const [[a, b], [c, d]] = [first, other].map(({ nodes }) => nodes.map(({ url }) => url)) as [string[], string[]];
    await expect(poll([a!, c!])).rejects.toMatchObject({ reason: 'DISAGREEING' });
    await expect(poll([c!, d!])).rejects.toMatchObject({ reason: 'DEEP_REORGANISATION' });
    expect((await poll([c!, a!, b!])).payments).toEqual([]);
  });

  it('do not let the cursor grow', async () => {
    const { chain, observer, advance } = await openTron();
    await advance(40);
    chain.mine(400);
    await observer.catchUp();
    expect(blocksOf(observer.lastPoll().cursor)).toBe(300);
  });
});

describe('without watched addresses', () => {
  it('neither transactions nor logs are read, and the next address is watched from the last solid block', async () => {
    const { chain, nodes, createWatcher, send } = await openTron();
    const watcher = createWatcher();
    const watched = new Set<string>();
    const observer = createObserver(watcher, watched, ({ block }, { head }) => block!.height <= head.finalizedHeight!);
    await observer.poll();
    const before = nodes.map(({ calls }) => calls.length);
    for (let polls = 0; polls < 5; polls += 1) {
      chain.mine(10);
      const { scannedHeight, head, cursor } = await observer.poll();
      // Otherwise the watcher would seem to be behind.
      expect(scannedHeight).toBe(head.height);
      expect(blocksOf(cursor)).toBe(1);
    }
    const calls = nodes.flatMap(({ calls }, index) => calls.slice(before[index]));
    expect(new Set(calls)).toEqual(new Set(['/wallet/getblock', '/walletsolidity/getblock']));
    // At most five calls a poll: 43,000 a day.
    expect(calls.length).toBeLessThanOrEqual(nodes.length * 5 * 5);
    const address = randomTronAddress();
    watched.add(address);
    send.usdt({ address, units: UNITS });
    chain.mine(30);
    await observer.catchUp();
    expect(observer.finalTo(address)).toHaveLength(1);
  });

  it('forks of the last blocks that were read are still noticed', async () => {
    const { chain, addresses, observer, send, advance, watcher } = await openTron();
    const [address] = addresses;
    const id = send.trx({ address, units: UNITS });
    await advance(4);
    expect(observer.includedUnits(address)).toBe(UNITS);
    const { hash } = observer.paymentsTo(address)[0]!.block!;
    chain.fork(4, [id]);
    const poll = await watcher.poll(observer.lastPoll().cursor, new Set(), signal);
    expect(poll.orphanedBlockHashes).toContain(hash);
  });
});
