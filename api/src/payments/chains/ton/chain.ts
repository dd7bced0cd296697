import { tonAddresses } from '../../derive/ton-address.ts';
import { type ChainDescriptor, MINUTE_MS, rateIdsOf, stable, volatile } from '../chain.ts';
import { USDT } from './jetton.ts';

const TON = 10n ** 9n;

export const ton = {
  currencies: {
    TON: {
      ...volatile,
      decimals: 9,
      displayDecimals: 3,
      restAfterSweepUnits: TON / 10n,
      sandboxCents: 2_50n,
      // Those on Kraken, Coinbase and CoinPaprika were not seen in a live answer: docs/payments.md says so.
      rateIds: rateIdsOf('GRAM', { coingecko: 'the-open-network', coinpaprika: 'toncoin-the-open-network' }),
    },
    USDT_TON: stable(6),
  },
  addresses: tonAddresses,
  finality: { kind: 'CHECKPOINTS', safeBelowMicros: 0n, confirmationsMin: 1 },
  pace: { blockMs: 400, pollEveryMs: 5000, headAgeMaxMs: MINUTE_MS, finalWithinMs: 5 * MINUTE_MS },
  transactionPage: 'https://tonviewer.com/transaction/',
  settings: {
    account: 'PAY_TON',
    key: 'PAY_TON_PUBLIC_KEY',
    // The address of a private key that was taken for a public one must come from the wallet, or nothing would find the mistake.
    addressAdvice: 'copy the address that your wallet shows for its version v4R2',
    mismatchAdvice:
      'the key is either not of this wallet (v4R2), or a private key: then consider it as known to others',
    urls: 'PAY_TON_URLS',
    funding: 'PAY_TON_FUNDING',
  },
  sourcesMinReason: 'needs at least two independent sources, because what a single one says about TON cannot be proven',
  token: { currency: 'USDT_TON', setting: 'PAY_USDT_TON_MASTER', usualContract: USDT.master },
  sweep: {
    coin: 'TON',
    coinDecimals: 9,
    coinWorth: 2_000_000n,
    usdtUnitsLeft: 0n,
    unitsMax: 2n ** 63n - 1n,
    feeMaxUnits: TON / 10n,
  },
} as const satisfies ChainDescriptor;
