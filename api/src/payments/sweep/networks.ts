/**
 * What the offline program knows of the main networks, so that a list of holdings cannot tell it otherwise: chain ids, the contracts of
 * USDT, decimals, and what a fee may be at most.
 */
import { chainNames } from '@cellhop/contract/chains';
import type { SweepRules } from '../chains/chain.ts';
import { chainsWith, descriptors } from '../chains/descriptors.ts';
import { currencyRules } from '../currencies.ts';
import type { SweepChain } from './sweep.ts';

interface Network extends SweepRules {
  title: string;
  /** Of a recovered signature (EIP-155). TRON binds a transaction to its chain by the id of a block, TON only by the number of the message. */
  chainId: bigint | undefined;
  usdtContract: string;
  usdtDecimals: number;
  /** Setting with the addresses that fees may be sent from without being payments. */
  fundingSetting: string;
}

export const networks = Object.fromEntries(
  chainsWith('sweep').map((chain): [SweepChain, Network] => {
    const { sweep, evm, token, settings } = descriptors[chain];
    const network = {
      ...sweep,
      title: chainNames[chain],
      chainId: evm && BigInt(evm.chainId),
      usdtContract: token.usualContract,
      usdtDecimals: currencyRules[token.currency].decimals,
      fundingSetting: settings.funding!,
    };
    return [chain, network];
  }),
) as Record<SweepChain, Network>;
