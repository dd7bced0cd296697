import { witnessAddresses } from '../../derive/witness-address.ts';
import { byConfirmations } from '../../finality.ts';
import { type ChainDescriptor, MINUTE_MS, rateIdsOf, volatile } from '../chain.ts';

export const bitcoin = {
  currencies: {
    BTC: {
      ...volatile,
      decimals: 8,
      displayDecimals: 8,
      // The dust limit of Bitcoin Core for any kind of address (`GetDustThreshold` of P2PKH).
      smallestPaymentUnits: 546n,
      restAfterSweepUnits: 0n,
      sandboxCents: 100_000_00n,
      rateIds: rateIdsOf('BTC', { kraken: 'XBTUSD', coingecko: 'bitcoin', coinpaprika: 'btc-bitcoin' }),
    },
  },
  addresses: witnessAddresses('bc'),
  finality: byConfirmations({ 100: 1, 1000: 2, 10_000: 3 }, 6),
  pace: { blockMs: 600_000, pollEveryMs: 15_000, headAgeMaxMs: 180 * MINUTE_MS },
  transactionPage: 'https://mempool.space/tx/',
  settings: { account: 'PAY_BTC', key: 'PAY_BTC_XPUB', urls: 'PAY_BTC_URLS' },
  pausingReorganisationBlocks: 3,
  utxo: {
    genesisHash: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
    addressPrefix: 'bc',
    uriScheme: 'bitcoin',
  },
} as const satisfies ChainDescriptor;
