import { expect, test } from 'vitest';
import { explorerUrl } from './payment-links.ts';

const HASH = 'ab'.repeat(32);

test('a transaction has a page of its chain', () => {
  expect(explorerUrl('bitcoin', HASH)).toBe(`https://mempool.space/tx/${HASH}`);
  expect(explorerUrl('ethereum', `0x${HASH}`)).toBe(`https://etherscan.io/tx/0x${HASH}`);
  expect(explorerUrl('tron', HASH)).toBe(`https://tronscan.org/#/transaction/${HASH}`);
  expect(explorerUrl('ton', HASH)).toBe(`https://tonviewer.com/transaction/${HASH}`);
});

test('a payment without a transaction has none', () => {
  expect(explorerUrl('ethereum', `balance:123:0x${'ab'.repeat(20)}`)).toBeNull();
  expect(explorerUrl('bitcoin', '01a20481-220a-7455-a52c-05ba51de3320')).toBeNull();
});
