/** What differs between the chains with Ethereum's JSON-RPC. */
import { currencyRules } from '../currencies.ts';

interface Rules {
  chainId: number;
  /** It pays for transactions. */
  nativeAsset: 'ETH' | 'BNB';
  /** Of USDT. */
  decimals: number;
  /** Whether payments in the native coin are watched. */
  hasNativeCoin: boolean;
  /** Between two blocks. */
  blockMs: number;
  blocksPerPoll: number;
  /** Final blocks are at least so old. */
  finalityDepth: number;
  headAgeMaxMs: number;
}

export const chainRules = {
  ethereum: {
    chainId: 1,
    nativeAsset: 'ETH',
    decimals: currencyRules.USDT_ERC20.decimals,
    hasNativeCoin: true,
    blockMs: 12_000,
    blocksPerPoll: 100,
    finalityDepth: 0,
    headAgeMaxMs: 180_000,
  },
  // Final is what the validators have finalized, but at least 20 blocks.
  bsc: {
    chainId: 56,
    nativeAsset: 'BNB',
    decimals: currencyRules.USDT_BSC.decimals,
    hasNativeCoin: false,
    blockMs: 450,
    blocksPerPoll: 5000,
    finalityDepth: 20,
    headAgeMaxMs: 60_000,
  },
} as const satisfies Record<string, Rules>;

export type EvmChain = keyof typeof chainRules;
export type EvmRules = (typeof chainRules)[EvmChain];
