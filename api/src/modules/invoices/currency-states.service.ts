/** The currencies in which invoices can be created now, so that the app does not offer others. */
import { currencies, type Currency } from '@cellhop/contract/invoices.values';
import { type CurrencyState } from '@cellhop/contract/invoices';
import type { Ctx } from '../../ctx.ts';
import { currencyRules } from '../../payments/currencies.ts';
import { isEnabled, isHealthy } from './chain-health.ts';
import { rateSource } from './chains.ts';
import * as states from './chain-states.store.ts';

/** The currencies that are set up; whether one can be paid now also depends on its chain and rate. */
export function listEnabledCurrencies(ctx: Ctx): Currency[] {
  return currencies.filter((currency) => isEnabled(ctx, currency));
}

/** Lists the currencies that are set up. A large invoice may still be refused, because its rate needs more sources. */
export async function listCurrencies(ctx: Ctx): Promise<CurrencyState[]> {
  const all = await states.listStates(ctx);
  const healthy = new Set(all.filter((state) => isHealthy(ctx, state)).map(({ chain }) => chain));
  return Promise.all(
    listEnabledCurrencies(ctx).map(async (currency) => {
      if (!healthy.has(currencyRules[currency].chain)) return { currency, problem: 'NETWORK' as const };
      const rateE12 = await rateSource(ctx).rateE12(currency);
      return { currency, problem: rateE12 === undefined ? ('RATE' as const) : null };
    }),
  );
}
