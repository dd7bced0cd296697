import { tronAddresses } from '../../derive/tron-address.ts';
import { type ChainDescriptor, MINUTE_MS, rateIdsOf, stable, volatile } from '../chain.ts';

const TRX = 10n ** 6n;

export const tron = {
  currencies: {
    TRX: {
      ...volatile,
      decimals: 6,
      displayDecimals: 2,
      restAfterSweepUnits: 30n * TRX,
      sandboxCents: 25n,
      rateIds: rateIdsOf('TRX', { coinbase: undefined, coingecko: 'tron', coinpaprika: 'trx-tron' }),
    },
    USDT_TRC20: stable(6),
  },
  addresses: tronAddresses,
  finality: { kind: 'CHECKPOINTS', safeBelowMicros: 0n, confirmationsMin: 1 },
  pace: { blockMs: 3000, pollEveryMs: 10_000, headAgeMaxMs: MINUTE_MS, finalWithinMs: 5 * MINUTE_MS },
  transactionPage: 'https://tronscan.org/#/transaction/',
  settings: { account: 'PAY_TRON', key: 'PAY_TRON_XPUB', urls: 'PAY_TRON_URLS', funding: 'PAY_TRON_FUNDING' },
  sourcesMinReason:
    'needs at least two independent nodes, because what a single one says about tokens on TRON cannot be proven',
  token: {
    currency: 'USDT_TRC20',
    setting: 'PAY_USDT_TRC20_CONTRACT',
    usualContract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  },
  sweep: {
    coin: 'TRX',
    coinDecimals: 6,
    coinWorth: 250_000n,
    usdtUnitsLeft: 1n,
    unitsMax: 2n ** 63n - 1n,
    feeMaxUnits: 30n * TRX,
  },
} as const satisfies ChainDescriptor;
