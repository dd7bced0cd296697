/** The purchase that completes a replacement, under the lock of the payer's account and after the refund of what it replaces. */
import { PREPAID_MEGABYTES } from '@cellhop/contract/limits';
import { megabytePrice, toDollars } from '@cellhop/contract/units';
import type { Ctx } from '../../ctx.ts';
import {
  encryptPassword,
  hashPassword,
  newConnectionId,
  newCredentials,
} from '../../secrets/connection-credentials.ts';
import { notify } from '../notifications/notifications.service.ts';
import * as store from './replacements.store.ts';

/** Whoever asked waits for seconds. Later, a purchase would be a surprise. */
const PURCHASE_MS_MAX = 600_000;

/** Buys it, or says why not: the replaced connection has ended anyway. */
export async function buyReplacement(ctx: Ctx, replacedId: string): Promise<void> {
  const replaced = await store.findReplaced(ctx, replacedId);
  const { ageMs } = (await store.findReplacement(ctx, replacedId))!;
  const outcome = ageMs < PURCHASE_MS_MAX ? await buy(ctx, replacedId) : 'TOO_LATE';
  if (outcome === 'TOO_LATE') await store.finishWithoutPurchase(ctx, replacedId);
  if (outcome === 'BOUGHT') {
    ctx.changed({ userId: replaced.userId }, 'connections');
    ctx.changed({ accountId: replaced.payerAccountId }, 'balance');
    return;
  }
  await notify(ctx, replaced.userId, `connection:${replacedId}:replacement`, {
    kind: 'NOT_REPLACED',
    details: { ip: replaced.ip, isOutOfMoney: outcome === 'SMALL_BALANCE', refund: toDollars(refundMicros(replaced)) },
  });
}

function buy(ctx: Ctx, replacedId: string): Promise<string> {
  const { secretKeys } = ctx.config;
  const { username, password } = newCredentials();
  const id = newConnectionId();
  return store.buySuccessor(ctx, replacedId, {
    id,
    username,
    passwordEncrypted: encryptPassword(secretKeys, id, password),
    passwordHash: hashPassword(secretKeys, password),
  });
}

/** Only prepaid megabytes come back. */
export function refundMicros({ chargedMegabytes, priceMicros }: store.Replaced): bigint {
  const megabytes = BigInt(PREPAID_MEGABYTES) - chargedMegabytes;
  return megabytes > 0n ? megabytes * megabytePrice(priceMicros) : 0n;
}
