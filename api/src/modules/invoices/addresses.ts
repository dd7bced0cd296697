/** Deposit addresses: permanently assigned to a user, and verified before they are shown. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Ctx } from '../../ctx.ts';
import { deriveKey, deriveKeys } from '../../secrets/keys.ts';
import type { AddressSpace, CurrencyRules } from '../../payments/currencies.ts';
import * as store from './addresses.store.ts';
import { deriveAddress, accountFingerprint, isSandbox } from './chains.ts';

const MAC_KEY = 'deposit addresses';
/** Address 0 belongs to the operator, who has compared it with the wallet. */
const FIRST_INDEX = 1n;

/**
 * Assigns the deposit address of a new invoice and watches it for the life of the invoice and the days after it. On chains with an
 * address per invoice, the user's own never-paid one is used again: wallets stop scanning after a number of addresses without a
 * payment, usually 20. An address is never assigned to another user. The caller has locked the payer.
 */
export async function assignAddress(
  ctx: Ctx,
  userId: string,
  { addressSpace, hasAddressPerInvoice, lifetimeMs }: CurrencyRules,
): Promise<bigint> {
  const accountId = await store.findOrInsertAccount(
    ctx,
    addressSpace,
    accountFingerprint(ctx, addressSpace),
    FIRST_INDEX,
  );
  const find = hasAddressPerInvoice ? store.findUnpaid : store.findShared;
  const id =
    (await find(ctx, userId, addressSpace, accountId)) ??
    (await deriveNext(ctx, userId, addressSpace, accountId, !hasAddressPerInvoice));
  await store.extendWatches(ctx, [id], lifetimeMs + ctx.config.payments.watchMs);
  return id;
}

async function deriveNext(
  ctx: Ctx,
  userId: string,
  space: AddressSpace,
  accountId: bigint,
  isShared: boolean,
): Promise<bigint> {
  if (isShared) await store.retireShared(ctx, userId, space);
  const index = await store.takeIndex(ctx, accountId);
  const address = deriveAddress(ctx, space, index);
  const mac = toMac(deriveKey(ctx.config.secretKeys, MAC_KEY), { space, address, userId });
  return store.insertAddress(ctx, { space, address, userId, isShared, accountId, index, mac });
}

export interface StoredAddress {
  space: AddressSpace;
  address: string;
  userId: string;
  mac: string;
  derivationIndex: bigint;
  fingerprint: string;
}

/**
 * Whether this program derived the address for this user. An attacker who can only change the database must not be able to redirect
 * payments. The MAC of a secret key that is no longer in the settings proves nothing; then the address is derived again.
 */
export function isGenuine(ctx: Ctx, stored: StoredAddress): boolean {
  const { mac, derivationIndex, space, fingerprint, address } = stored;
  if (isSandbox(ctx)) return true;
  const keys = deriveKeys(ctx.config.secretKeys, MAC_KEY);
  if (keys.some((key) => isEqual(toMac(key, stored), mac))) return true;
  const isOfCurrentAccount = space in ctx.config.payments.accounts && fingerprint === accountFingerprint(ctx, space);
  // If an attacker stores another user's index, the derived address still belongs to the operator.
  return isOfCurrentAccount && deriveAddress(ctx, space, derivationIndex) === address;
}

function toMac(key: Buffer, { space, address, userId }: Pick<StoredAddress, 'space' | 'address' | 'userId'>): string {
  return createHmac('sha256', key).update(`${space}\n${address}\n${userId}`).digest('base64url');
}

function isEqual(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
