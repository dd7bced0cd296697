import { expect, test } from 'vitest';
import { toPaymentUri } from './payment-uri.ts';

test('Bitcoin and Litecoin have URIs with the exact amount', () => {
  expect(toPaymentUri('BTC', 'bc1qcr8te4', 25_000n)).toBe('bitcoin:bc1qcr8te4?amount=0.00025000');
  expect(toPaymentUri('LTC', 'ltc1qjmxnz', 25_000_000n)).toBe('litecoin:ltc1qjmxnz?amount=0.25000000');
  expect(toPaymentUri('BTC', 'bc1qcr8te4', 0n)).toBe('bitcoin:bc1qcr8te4');
});

test('other currencies have the plain address', () => {
  for (const currency of ['ETH', 'USDT_ERC20', 'USDT_BSC'] as const)
    expect(toPaymentUri(currency, '0x9858EfFD232B4033E47d90003D41EC34EcaEda94', 1n)).toBe(
      '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
    );
});
