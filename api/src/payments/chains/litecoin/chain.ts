import { witnessAddresses } from '../../derive/witness-address.ts';
import { byConfirmations } from '../../finality.ts';
import { type ChainDescriptor, MINUTE_MS, rateIdsOf, volatile } from '../chain.ts';

export const litecoin = {
  currencies: {
    LTC: {
      ...volatile,
      decimals: 8,
      displayDecimals: 8,
      // The dust limit of Litecoin Core for any kind of address.
      smallestPaymentUnits: 5460n,
      restAfterSweepUnits: 0n,
      sandboxCents: 100_00n,
      rateIds: rateIdsOf('LTC', { coingecko: 'litecoin', coinpaprika: 'ltc-litecoin' }),
    },
  },
  addresses: witnessAddresses('ltc'),
  // In 2026 a reorganisation of 13 blocks reversed payments.
  finality: byConfirmations({ 100: 6, 1000: 16 }, 24),
  pace: { blockMs: 150_000, pollEveryMs: 15_000, headAgeMaxMs: 60 * MINUTE_MS },
  transactionPage: 'https://litecoinspace.org/tx/',
  settings: { account: 'PAY_LTC', key: 'PAY_LTC_XPUB', urls: 'PAY_LTC_URLS' },
  pausingReorganisationBlocks: 3,
  utxo: {
    genesisHash: '12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2',
    addressPrefix: 'ltc',
    uriScheme: 'litecoin',
  },
} as const satisfies ChainDescriptor;
