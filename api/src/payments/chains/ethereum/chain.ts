import { evmAddresses } from '../../derive/evm-address.ts';
import { DOLLAR_MICROS } from '../../finality.ts';
import { type ChainDescriptor, evmSweeps, MINUTE_MS, rateIdsOf, stable, volatile } from '../chain.ts';

const ETHER = 10n ** 18n;

export const ethereum = {
  currencies: {
    ETH: {
      ...volatile,
      decimals: 18,
      displayDecimals: 6,
      restAfterSweepUnits: ETHER / 500n,
      sandboxCents: 4_000_00n,
      rateIds: rateIdsOf('ETH', { coingecko: 'ethereum', coinpaprika: 'eth-ethereum' }),
    },
    USDT_ERC20: stable(6),
  },
  addresses: evmAddresses,
  finality: { kind: 'CHECKPOINTS', safeBelowMicros: 100n * DOLLAR_MICROS, confirmationsMin: 1 },
  pace: { blockMs: 12_000, pollEveryMs: 12_000, headAgeMaxMs: 10 * MINUTE_MS, finalWithinMs: 60 * MINUTE_MS },
  transactionPage: 'https://etherscan.io/tx/',
  settings: { account: 'PAY_EVM', key: 'PAY_EVM_XPUB', urls: 'PAY_ETH_URLS', funding: 'PAY_EVM_FUNDING' },
  hasUnexplainedPayments: true,
  evm: { chainId: 1, hasNativeCoin: true, blocksPerPoll: 100, finalityDepth: 0, headAgeMaxMs: 3 * MINUTE_MS },
  token: {
    currency: 'USDT_ERC20',
    setting: 'PAY_USDT_ERC20_CONTRACT',
    usualContract: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
  },
  sweep: { ...evmSweeps, coin: 'ETH', coinWorth: 2_000_000_000n, feeMaxUnits: ETHER / 100n },
} as const satisfies ChainDescriptor;
