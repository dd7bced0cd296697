/**
 * Whether the contract in the settings is the token that the currency is: one with other decimals would be credited a million times too
 * high or too low. The chain is not read before that, so that no payment is passed over either.
 */
import type { Ctx } from '../../ctx.ts';
import { type ChainWith, descriptors } from '../../payments/chains/descriptors.ts';
import { ChainUnavailable, type ChainWatcher } from '../../payments/chains/watcher.ts';
import { type Chain, currencyRules } from '../../payments/currencies.ts';

/** Once for each start: watchers live as long as their process. */
const checked = new WeakSet<ChainWatcher>();

/** @throws ChainUnavailable with a sentence for the operator if it is not, or if the sources do not tell */
export async function requireToken(ctx: Ctx, chain: Chain, watcher: ChainWatcher, signal: AbortSignal): Promise<void> {
  const { token } = descriptors[chain];
  if (!token || !watcher.tokenDecimals || checked.has(watcher)) return;
  const { decimals } = currencyRules[token.currency];
  const found = await watcher.tokenDecimals(signal);
  if (found !== decimals) {
    const problem = found === undefined ? 'is no token' : `has ${found} decimals instead of ${decimals}`;
    const contract = ctx.config.payments.usdtContracts[chain as ChainWith<'token'>];
    throw new ChainUnavailable(
      'INVALID_RESPONSE',
      `${token.setting}: ${contract} ${problem}; nothing on ${chain} is read or credited until it is corrected`,
    );
  }
  checked.add(watcher);
}
