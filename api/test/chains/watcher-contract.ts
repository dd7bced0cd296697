import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ChainUnavailable } from '../../src/payments/chains/watcher.ts';
import { startFaultProxy } from './fault-proxy.ts';
import type { LocalChain } from './local-chain.ts';
import { createObserver, type Observer } from './observer.ts';

const signal = new AbortController().signal;
/** Two payments of one transaction in the shown order. */
const byUnits = (a: { units: bigint }, b: { units: bigint }) => Number(a.units - b.units);

/** Features that a chain may lack. Their tests are not registered for it, because skipped tests would look like unfinished work. */
export type Feature = 'NODES' | 'REORGANISATIONS' | 'REPLACEMENTS' | 'FAKE_PAYMENTS';

const skip = (_title: string, _run: () => Promise<void>): void => {};

/** The tests that every watcher passes. Each test has its own addresses and begins at the current head. */
export function describeWatcher(
  name: string,
  start: () => Promise<LocalChain>,
  lacking: readonly Feature[] = [],
): void {
  const caseOf = (needed: Feature) => (lacking.includes(needed) ? skip : it);
  describe(`the watcher of ${name}`, () => {
    let chain: LocalChain;
    let blocksUntilIncluded: number;
    let addresses: string[];
    let observer: Observer;

    beforeAll(async () => {
      chain = await start();
      ({ blocksUntilIncluded = 3 } = chain);
    }, 120_000);
    afterAll(() => chain?.end());

    beforeEach(async () => {
      addresses = [await chain.newAddress(), await chain.newAddress(), await chain.newAddress()];
      observer = createObserver(chain.createWatcher(), new Set(addresses), chain.isFinal);
      await observer.poll();
    });

    const makeFinal = async () => {
      await chain.mine(chain.blocksUntilFinal);
      await observer.catchUp();
    };

    it('reports a payment as included, then as final, with its amount and asset', async () => {
      const [address] = addresses as [string];
      const transactionId = await chain.pay({ address, units: chain.units });
      await chain.mine(blocksUntilIncluded);
      await observer.catchUp();
      expect(observer.paymentsTo(address)).toMatchObject([{ transactionId, asset: chain.asset, units: chain.units }]);
      expect(observer.includedUnits(address)).toBe(chain.units);
      expect(observer.finalUnits(address)).toBe(chain.isFinalAtOnce ? chain.units : 0n);
      await makeFinal();
      expect(observer.finalUnits(address)).toBe(chain.units);
      expect(observer.finalTo(address)[0]!.arrivedAt.getTime()).toBeLessThanOrEqual(Date.now());
    });

    it('shows a payment in the memory pool only where the chain has one', async () => {
      const [address] = addresses as [string];
      await chain.pay({ address, units: chain.units });
      await observer.catchUp();
      expect(observer.paymentsTo(address)).toHaveLength(chain.hasMemoryPool ? 1 : 0);
      expect(observer.includedUnits(address)).toBe(0n);
      await makeFinal();
      expect(observer.finalUnits(address)).toBe(chain.units);
    });

    it('identifies a payment the same way in every poll, so that it counts once', async () => {
      const [address] = addresses as [string];
      await chain.pay({ address, units: chain.units });
      for (let block = 0; block < chain.blocksUntilFinal; block += 1) {
        await chain.mine(1);
        await observer.poll();
      }
      await makeFinal();
      expect(observer.finalTo(address)).toHaveLength(1);
      // A second watcher that begins earlier reports the same key.
      expect(observer.paymentsTo(address)).toEqual(observer.finalTo(address));
    });

    caseOf('REORGANISATIONS')('orphans a payment whose block has left the chain', async () => {
      const [address] = addresses as [string];
      const transactionId = await chain.pay({ address, units: chain.units });
      await chain.mine(blocksUntilIncluded);
      await observer.catchUp();
      expect(observer.includedUnits(address)).toBe(chain.units);
      await chain.reorganise(blocksUntilIncluded, transactionId);
      const poll = await observer.poll();
      expect(poll.orphanedBlockHashes.length).toBeGreaterThan(0);
      expect(observer.includedUnits(address)).toBe(0n);
    });

    caseOf('REORGANISATIONS')(
      'reports a payment again that another block contains after a reorganisation',
      async () => {
        const [address] = addresses as [string];
        const transactionId = await chain.pay({ address, units: chain.units });
        await chain.mine(blocksUntilIncluded);
        await observer.catchUp();
        await chain.reorganise(blocksUntilIncluded, transactionId);
        await observer.catchUp();
        await chain.includeAgain(transactionId);
        await makeFinal();
        expect(observer.finalTo(address)).toMatchObject([{ transactionId, units: chain.units }]);
      },
    );

    it('reports each part of a transaction that pays several addresses, and one of them twice', async () => {
      const [a, b] = addresses as [string, string];
      const payouts = [
        { address: a, units: chain.units },
        { address: a, units: chain.units * 2n },
        { address: b, units: chain.units * 3n },
      ];
      await chain.pay(...payouts);
      await makeFinal();
      expect(observer.finalUnits(a)).toBe(chain.units * 3n);
      expect(observer.finalUnits(b)).toBe(chain.units * 3n);
      const parts = chain.showsTransactionOfBatch ? [chain.units, chain.units * 2n] : [chain.units * 3n];
      const reported = observer.finalTo(a).sort(byUnits);
      expect(reported.map(({ units }) => units)).toEqual(parts);
    });

    it('reports several payments of one block, and the smallest one', async () => {
      const [a, b, c] = addresses as [string, string, string];
      await chain.pay({ address: a, units: chain.units });
      await chain.pay({ address: b, units: chain.dustUnits });
      await makeFinal();
      expect([a, b, c].map(observer.finalUnits)).toEqual([chain.units, chain.dustUnits, 0n]);
    });

    it('continues from its cursor after a restart in the middle of a scan', async () => {
      const [a, b] = addresses as [string, string];
      await chain.pay({ address: a, units: chain.units });
      await chain.mine(2);
      await observer.poll();
      await chain.pay({ address: b, units: chain.units });
      observer.restart(chain.createWatcher());
      await chain.mine(1);
      await observer.poll();
      observer.restart(chain.createWatcher());
      await makeFinal();
      expect([a, b].map((address) => observer.finalTo(address).length)).toEqual([1, 1]);
      expect([a, b].map(observer.finalUnits)).toEqual([chain.units, chain.units]);
    });

    it('catches up on what was paid while it was down, with the time of the block', async () => {
      const [a, b] = addresses as [string, string];
      await chain.pay({ address: a, units: chain.units });
      await chain.mine(150);
      await chain.pay({ address: b, units: chain.units * 2n });
      await chain.mine(chain.blocksUntilFinal);
      const polls = await observer.catchUp();
      expect(polls).toBeGreaterThan(1);
      expect([a, b].map(observer.finalUnits)).toEqual([chain.units, chain.units * 2n]);
      const [payment] = observer.finalTo(a);
      expect(payment!.arrivedAt.getTime()).toBeLessThanOrEqual(Math.max(payment!.block!.time.getTime(), Date.now()));
    });

    caseOf('NODES')('reports nothing and loses nothing while its node fails', async () => {
      const [address] = addresses as [string];
      const proxy = await startFaultProxy(chain.url);
      try {
        observer.restart(chain.createWatcher([proxy.url]));
        await chain.pay({ address, units: chain.units });
        await chain.mine(2);
        for (const [fault, reason] of [
          ['CLOSED', 'DOWN'],
          ['BROKEN', 'DOWN'],
          ['THROTTLED', 'THROTTLED'],
        ] as const) {
          proxy.fault = fault;
          const failure: unknown = await observer.poll().catch((error: unknown) => error);
          expect(failure).toBeInstanceOf(ChainUnavailable);
          expect(failure).toMatchObject({ reason });
          expect((failure as Error).message).not.toContain('test:test');
        }
        proxy.fault = 'NONE';
        await makeFinal();
        expect(observer.finalUnits(address)).toBe(chain.units);
      } finally {
        await proxy.close();
      }
    });

    caseOf('NODES')('accepts what two nodes agree on, and confirms it by both', async () => {
      const [address] = addresses as [string];
      const proxy = await startFaultProxy(chain.url);
      try {
        const watcher = chain.createWatcher([chain.url, proxy.url]);
        observer.restart(watcher);
        await chain.pay({ address, units: chain.units });
        await makeFinal();
        const [payment] = observer.finalTo(address);
        expect(payment).toMatchObject({ units: chain.units });
        expect(await watcher.confirm(payment!, signal)).toBe(true);
        expect(await watcher.confirm({ ...payment!, units: payment!.units + 1n }, signal)).toBe(false);
        expect(await chain.createWatcher().confirm(payment!, signal)).toBeUndefined();
      } finally {
        await proxy.close();
      }
    });

    it('reads what addresses hold', async () => {
      const [a, b] = addresses as [string, string];
      await chain.pay({ address: a, units: chain.units });
      await makeFinal();
      const balances: unknown = await chain
        .createWatcher()
        .balances(chain.asset, [a, b], signal)
        .then(({ units }) => units)
        .catch((error: unknown) => (error instanceof ChainUnavailable ? error.name : error));
      const held = new Map([
        [a, chain.units],
        [b, 0n],
      ]);
      expect(balances).toEqual(chain.cannotReadBalances ? 'ChainUnavailable' : held);
    });

    caseOf('REPLACEMENTS')('says that a waiting payment may be replaced, and of its replacement the same', async () => {
      const [address, other] = addresses as [string, string];
      const first = await chain.pay({ address, units: chain.units });
      await observer.catchUp();
      expect(observer.paymentsTo(address)).toMatchObject([{ transactionId: first, isReplaceable: true }]);
      const second = await chain.replace!(first, { address: other, units: chain.units });
      await observer.catchUp();
      expect(observer.paymentsTo(address)).toEqual([]);
      expect(observer.paymentsTo(other)).toMatchObject([{ transactionId: second, isReplaceable: true }]);
      await makeFinal();
      expect([address, other].map(observer.finalUnits)).toEqual([0n, chain.units]);
    });

    caseOf('FAKE_PAYMENTS')('ignores what only looks like a payment', async () => {
      const [address, b] = addresses as [string, string];
      for (const send of Object.values(chain.fakePayments)) await send(address);
      await chain.pay({ address: b, units: chain.units });
      await makeFinal();
      expect(Object.keys(chain.fakePayments).length).toBeGreaterThan(0);
      expect(observer.paymentsTo(address)).toEqual([]);
      expect(observer.finalUnits(b)).toBe(chain.units);
    });
  });
}
