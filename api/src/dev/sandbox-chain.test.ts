import { expect, test } from 'vitest';
import {
  createSandboxDeriver,
  createSandboxWatcher,
  isSandboxAddress,
  type SandboxTransaction,
} from './sandbox-chain.ts';

const times = { includedAfterMs: 100, finalAfterMs: 200, settledAfterMs: 1000 };

function chainOf(...ages: number[]) {
  const all = ages.map((ageMs, index): SandboxTransaction => ({
    height: BigInt(index + 1),
    transactionId: `transaction-${index + 1}`,
    asset: 'BTC',
    address: 'sandbox-btc-1',
    units: 1n,
    createdAt: new Date(0),
    ageMs,
  }));
  const listAfter = (height: bigint) => Promise.resolve(all.filter((transaction) => transaction.height > height));
  return createSandboxWatcher({ listAfter }, times);
}

test('a payment is seen at once, then included, then final', async () => {
  const { payments } = await chainOf(200, 199, 100, 99, 0).poll(null);
  expect(payments.map((payment) => payment.stage)).toEqual(['FINAL', 'INCLUDED', 'INCLUDED', 'SEEN', 'SEEN']);
});

test('the cursor stops before the first unsettled payment', async () => {
  expect((await chainOf(5000, 1000, 999, 5000).poll(null)).cursor).toBe('2');
});

test('a poll continues after the cursor', async () => {
  const { cursor, payments } = await chainOf(5000, 5000, 300).poll('2');
  expect(cursor).toBe('2');
  expect(payments.map((payment) => payment.transactionId)).toEqual(['transaction-3']);
});

test('an empty chain does not move the cursor', async () => {
  expect(await chainOf().poll(null)).toEqual({ cursor: null, payments: [] });
  expect(await chainOf().poll('7')).toEqual({ cursor: '7', payments: [] });
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
