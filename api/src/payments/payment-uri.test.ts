import { expect, test } from 'vitest';
import { toPaymentUri, toWalletUri } from './payment-uri.ts';

test('Bitcoin and Litecoin have URIs with the exact amount', () => {
  expect(toPaymentUri('BTC', 'bc1qcr8te4', 25_000n)).toBe('bitcoin:bc1qcr8te4?amount=0.00025000');
  expect(toPaymentUri('LTC', 'ltc1qjmxnz', 25_000_000n)).toBe('litecoin:ltc1qjmxnz?amount=0.25000000');
  expect(toPaymentUri('BTC', 'bc1qcr8te4', 0n)).toBe('bitcoin:bc1qcr8te4');
});

test('wallets get a link for ether only, with the amount in wei', () => {
  expect(toWalletUri('ETH', '0x9858', 10n ** 17n)).toBe('ethereum:0x9858@1?value=100000000000000000');
  expect(toWalletUri('ETH', '0x9858', 0n)).toBeNull();
  expect(toWalletUri('ETH', '', 1n)).toBeNull();
  expect(toWalletUri('USDT_ERC20', '0x9858', 1n)).toBeNull();
});

test('other currencies have the plain address', () => {
  for (const currency of ['ETH', 'USDT_ERC20', 'USDT_BSC'] as const)
    expect(toPaymentUri(currency, '0x9858EfFD232B4033E47d90003D41EC34EcaEda94', 1n)).toBe(
      '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
    );
});
