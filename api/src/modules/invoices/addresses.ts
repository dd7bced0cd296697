import type { Ctx } from '../../ctx.ts';
import type { CurrencyRules } from '../../payments/currencies.ts';
import * as store from './addresses.store.ts';
import { deriveAddress } from './chains.ts';

/**
 * Assigns the deposit address of a new invoice: a new one, or the user's existing one if the currency reuses addresses. An address
 * is never assigned to another user. The caller has locked the payer.
 */
export async function assignAddress(
  ctx: Ctx,
  userId: string,
  { addressSpace, hasAddressPerInvoice }: Pick<CurrencyRules, 'addressSpace' | 'hasAddressPerInvoice'>,
): Promise<bigint> {
  const known = hasAddressPerInvoice ? undefined : await store.findReusedAddress(ctx, userId, addressSpace);
  if (known !== undefined) return known;
  const id = await store.nextAddressIndex(ctx);
  await store.insertAddress(ctx, {
    id,
    space: addressSpace,
    address: deriveAddress(ctx, addressSpace, id),
    userId,
    isReused: !hasAddressPerInvoice,
  });
  return id;
}
