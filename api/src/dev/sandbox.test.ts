import { expect, test } from 'vitest';
import { startSandbox } from '../../test/chains/sandbox.ts';
import { describeWatcher } from '../../test/chains/watcher-contract.ts';
import { createSandboxDeriver, createSandboxWatcher, isSandboxAddress, type SandboxTransaction } from './sandbox.ts';

describeWatcher('the sandbox', startSandbox, ['NODES', 'REORGANISATIONS', 'REPLACEMENTS', 'FAKE_PAYMENTS']);

const EPOCH_MS = 1_700_000_000_000;
/** A snapshot of the chain with transactions of these ages. */
function chainOf(...ages: number[]) {
  const now = EPOCH_MS + 60_000;
  const all = ages.map((ageMs, index): SandboxTransaction => ({
    position: BigInt(index + 1),
    transactionId: `transaction-${index + 1}`,
    asset: 'BTC',
    address: 'sandbox-btc-1',
    units: 1n,
    createdAt: new Date(now - ageMs),
    ageMs,
  }));
  const watcher = createSandboxWatcher({
    listAfter: (position) => Promise.resolve(all.filter((transaction) => transaction.position > position)),
    sumByAddress: () => Promise.resolve(new Map([['sandbox-btc-1', 5n]])),
  });
  return {
    ...watcher,
    poll: (cursor: string | null) => watcher.poll(cursor, new Set(['sandbox-btc-1']), new AbortController().signal),
  };
}

test('a payment is in the memory pool for 0.4 s, then in a block, which gets confirmations', async () => {
  const { payments, head } = await chainOf(1000, 400, 399, 0).poll(null);
  const confirmations = payments.map(({ block }) => block && head.height - block.height + 1);
  expect(confirmations).toEqual([4, 1, undefined, undefined]);
});

test('the cursor stops before the first unsettled payment', async () => {
  expect((await chainOf(50_000, 10_000, 9999, 50_000).poll(null)).cursor).toBe('2');
});

test('a poll continues after the cursor', async () => {
  const { cursor, payments } = await chainOf(50_000, 50_000, 300).poll('2');
  expect(cursor).toBe('2');
  expect(payments.map((payment) => payment.transactionId)).toEqual(['transaction-3']);
});

test('an empty chain does not move the cursor', async () => {
  expect(await chainOf().poll(null)).toMatchObject({ cursor: '0', payments: [] });
  expect(await chainOf().poll('7')).toMatchObject({ cursor: '7', payments: [] });
});

test('addresses have the sandbox prefix, are deterministic and unique', () => {
  const derive = createSandboxDeriver(['a secret key']);
  expect(derive('btc', 1n)).toMatch(/^sandbox-btc-[0-9a-f]{32}$/);
  expect(isSandboxAddress(derive('btc', 1n))).toBe(true);
  expect(isSandboxAddress('bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq')).toBe(false);
  expect(derive('btc', 1n)).toBe(derive('btc', 1n));
  const others = [
    derive('btc', 1n),
    derive('btc', 2n),
    derive('ltc', 1n),
    createSandboxDeriver(['another'])('btc', 1n),
  ];
  expect(new Set(others).size).toBe(4);
});
