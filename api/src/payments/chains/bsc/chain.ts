import { evmAddresses } from '../../derive/evm-address.ts';
import { type ChainDescriptor, evmSweeps, MINUTE_MS, stable } from '../chain.ts';

const BNB = 10n ** 18n;

/** BNB Smart Chain, whose native coin is not accepted. */
export const bsc = {
  currencies: { USDT_BSC: stable(18) },
  addresses: evmAddresses,
  // Final is what the validators have finalized, but at least 20 blocks.
  finality: { kind: 'CHECKPOINTS', safeBelowMicros: 0n, confirmationsMin: 20 },
  pace: { blockMs: 450, pollEveryMs: 10_000, headAgeMaxMs: 5 * MINUTE_MS, finalWithinMs: 10 * MINUTE_MS },
  transactionPage: 'https://bscscan.com/tx/',
  settings: { account: 'PAY_EVM', key: 'PAY_EVM_XPUB', urls: 'PAY_BSC_URLS', funding: 'PAY_EVM_FUNDING' },
  evm: { chainId: 56, hasNativeCoin: false, blocksPerPoll: 5000, finalityDepth: 20, headAgeMaxMs: MINUTE_MS },
  token: {
    currency: 'USDT_BSC',
    setting: 'PAY_USDT_BSC_CONTRACT',
    usualContract: '0x55d398326f99059fF775485246999027B3197955',
  },
  sweep: { ...evmSweeps, coin: 'BNB', coinWorth: 500n * BNB, feeMaxUnits: BNB / 500n },
} as const satisfies ChainDescriptor;
