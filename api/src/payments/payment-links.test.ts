import type { Currency } from '@cellhop/contract/invoices.values';
import { describe, expect, test } from 'vitest';
import { toPaymentUri, toWalletUri } from './payment-links.ts';

const EVM = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';
const TON = 'UQAqbua3_0G_7K_jgzhjJceolfT-TONGsY65wUoBUtZinP1w';
const JETTON = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs';
const ERC20 = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
const BEP20 = '0x55d398326f99059fF775485246999027B3197955';
const contracts = { tron: '', ethereum: ERC20, bsc: BEP20, ton: JETTON };
const expiredAt = new Date('2026-11-22T12:00:00Z');

const request = (currency: Currency, address: string, units: bigint) => ({ currency, address, units, expiredAt });
const walletUri = (currency: Currency, address: string, units: bigint) =>
  toWalletUri(request(currency, address, units), contracts);

/** $25 each. The columns: currency, address, units, QR code, link; `same` as the QR code. */
const vectors: [Currency, string, bigint, string, string | null][] = [
  ['BTC', 'bc1qcr8te4', 25_000n, 'bitcoin:bc1qcr8te4?amount=0.00025000', 'same'],
  ['LTC', 'ltc1qjmxnz', 25_000_000n, 'litecoin:ltc1qjmxnz?amount=0.25000000', 'same'],
  ['ETH', EVM, 6_250_000_000_000_000n, EVM, `ethereum:${EVM}@1?value=6250000000000000`],
  ['USDT_ERC20', EVM, 25_000_000n, EVM, `ethereum:${ERC20}@1/transfer?address=${EVM}&uint256=25000000`],
  ['USDT_BSC', EVM, 25n * 10n ** 18n, EVM, `ethereum:${BEP20}@56/transfer?address=${EVM}&uint256=25000000000000000000`],
  ['TRX', 'TUEZSdKsoDHQ', 100_000_000n, 'TUEZSdKsoDHQ', null],
  ['USDT_TRC20', 'TUEZSdKsoDHQ', 25_000_000n, 'TUEZSdKsoDHQ', null],
  ['TON', TON, 10_000_000_000n, `ton://transfer/${TON}?amount=10000000000&exp=1795348800`, 'same'],
  ['USDT_TON', TON, 25_000_000n, `ton://transfer/${TON}?jetton=${JETTON}&amount=25000000&exp=1795348800`, 'same'],
];

describe.each(vectors)('%s', (currency, address, units, scanned, linked) => {
  test('has a QR code and a link with the exact amount', () => {
    expect(toPaymentUri(request(currency, address, units), contracts)).toBe(scanned);
    expect(walletUri(currency, address, units)).toBe(linked === 'same' ? scanned : linked);
  });

  test('names no amount when nothing is due', () => {
    expect(toPaymentUri(request(currency, address, 0n), contracts)).toBe(scanned.replace(/[?&]amount=.*/, ''));
    expect(walletUri(currency, address, 0n)).toBeNull();
  });

  test('has none for an address that must not be shown', () => {
    expect(toPaymentUri(request(currency, '', units), contracts)).toBe('');
    expect(walletUri(currency, '', units)).toBeNull();
  });
});
