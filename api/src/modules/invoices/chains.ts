/** Selects the implementation of each chain. Only the sandbox exists so far, and only in development. */
import type { Currency } from '@cellhop/contract/invoices';
import type { Ctx } from '../../ctx.ts';
import { createSandboxDeriver, createSandboxWatcher } from '../../dev/sandbox-chain.ts';
import type { ChainWatcher } from '../../payments/chains/watcher.ts';
import { currencyRules, type AddressSpace, type Chain } from '../../payments/currencies.ts';
import { sandboxRates } from '../../dev/sandbox-rates.ts';
import type { RateSource } from '../../payments/rates/source.ts';
import * as sandboxStore from './sandbox.store.ts';

/** @returns undefined if the chain is disabled */
export function watcherOf(ctx: Ctx, chain: Chain): ChainWatcher | undefined {
  if (!ctx.config.isDevelopment) return undefined;
  return createSandboxWatcher({ listAfter: (height) => sandboxStore.listTransactionsAfter(ctx, chain, height) });
}

export function isAvailable(ctx: Ctx, currency: Currency): boolean {
  return watcherOf(ctx, currencyRules[currency].chain) !== undefined;
}

export function deriveAddress(ctx: Ctx, space: AddressSpace, index: bigint): string {
  return createSandboxDeriver(ctx.config.secretKeys)(space, index);
}

export const rates: RateSource = sandboxRates;
