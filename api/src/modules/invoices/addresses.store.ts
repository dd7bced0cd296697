import type { Ctx } from '../../ctx.ts';
import { addressSpaces, type AddressSpace } from '../../payments/currencies.ts';

/** The account is one of the settings, or that of the sandbox. */
export async function findOrInsertAccount(
  ctx: Ctx,
  space: AddressSpace,
  fingerprint: string,
  firstIndex: bigint,
): Promise<bigint> {
  const find = () =>
    ctx.db.query<{ id: bigint }>('select id from wallet_accounts where address_space = $1 and fingerprint = $2', [
      space,
      fingerprint,
    ]);
  const [known] = await find();
  if (known) return known.id;
  await ctx.db.query(
    'insert into wallet_accounts (address_space, fingerprint, next_index) values ($1, $2, $3) on conflict do nothing',
    [space, fingerprint, firstIndex],
  );
  // A statement of its own sees what another transaction has inserted meanwhile.
  const [row] = await find();
  return row!.id;
}

/** Locks the account until the end of the transaction, so that a rollback leaves no gap. */
export async function takeIndex(ctx: Ctx, accountId: bigint): Promise<bigint> {
  const [row] = await ctx.db.query<{ index: bigint }>(
    'update wallet_accounts set next_index = next_index + 1 where id = $1 returning next_index - 1 as index',
    [accountId],
  );
  return row!.index;
}

/** The user's address in a space where all of their invoices share one. */
export async function findShared(
  ctx: Ctx,
  userId: string,
  space: AddressSpace,
  accountId: bigint,
): Promise<bigint | undefined> {
  const [row] = await ctx.db.query<{ id: bigint }>(
    `select id from deposit_addresses
      where user_id = $1 and address_space = $2 and is_reused and wallet_account_id = $3`,
    [userId, space, accountId],
  );
  return row?.id;
}

/** The user's newest address that was never paid to. */
export async function findUnpaid(
  ctx: Ctx,
  userId: string,
  space: AddressSpace,
  accountId: bigint,
): Promise<bigint | undefined> {
  const [row] = await ctx.db.query<{ id: bigint }>(
    `select id from deposit_addresses
      where user_id = $1 and address_space = $2 and wallet_account_id = $3 and not is_reused
        and not exists (select from deposits where deposits.address_id = deposit_addresses.id)
      order by id desc limit 1`,
    [userId, space, accountId],
  );
  return row?.id;
}

/** Addresses of an account whose key has been replaced: they stay watched, but get no new invoices. */
export async function retireShared(ctx: Ctx, userId: string, space: AddressSpace): Promise<void> {
  await ctx.db.query(
    'update deposit_addresses set is_reused = false where user_id = $1 and address_space = $2 and is_reused',
    [userId, space],
  );
}

export interface NewAddress {
  space: AddressSpace;
  address: string;
  userId: string;
  isShared: boolean;
  accountId: bigint;
  index: bigint;
  mac: string;
}

export async function insertAddress(ctx: Ctx, address: NewAddress): Promise<bigint> {
  const [row] = await ctx.db.query<{ id: bigint }>(
    `insert into deposit_addresses (address_space, address, user_id, is_reused, wallet_account_id, derivation_index, mac)
     values ($1, $2, $3, $4, $5, $6, $7) returning id`,
    [address.space, address.address, address.userId, address.isShared, address.accountId, address.index, address.mac],
  );
  return row!.id;
}

export interface WatchedAddresses {
  all: ReadonlySet<string>;
  /** Those with an open invoice: somebody waits for their payment. */
  open: ReadonlySet<string>;
}

/** Addresses that are watched at the pace of the chain: those with an open invoice, then those with the newest invoices. */
export async function listWatchedAddresses(ctx: Ctx, space: AddressSpace, limit: number): Promise<WatchedAddresses> {
  const rows = await ctx.db.query<{ address: string; isOpen: boolean }>(
    `select address, id in (select address_id from invoices where is_open) as "isOpen"
       from deposit_addresses where address_space = $1 and watched_until > now()
      order by "isOpen" desc, watched_until desc limit $2`,
    [space, limit],
  );
  return {
    all: new Set(rows.map(({ address }) => address)),
    open: new Set(rows.filter(({ isOpen }) => isOpen).map(({ address }) => address)),
  };
}

/** All addresses of a space up to a limit, those that are watched first. */
export async function listAllAddresses(ctx: Ctx, space: AddressSpace, limit: number): Promise<ReadonlySet<string>> {
  const rows = await ctx.db.query<{ address: string }>(
    'select address from deposit_addresses where address_space = $1 order by watched_until desc limit $2',
    [space, limit],
  );
  return new Set(rows.map(({ address }) => address));
}

/** How many addresses of each space are in their watch window; counts up to a limit. */
export async function countInWindow(ctx: Ctx, limit: number): Promise<ReadonlyMap<AddressSpace, number>> {
  const rows = await ctx.db.query<{ space: AddressSpace; count: number }>(
    `select space, (select count(*)::int from (
              select from deposit_addresses where address_space = space and watched_until > now() limit $2) as counted) as count
       from unnest($1::text[]) as space`,
    [[...new Set(Object.values(addressSpaces))], limit],
  );
  return new Map(rows.map(({ space, count }) => [space, count]));
}

/** Finds the payments to our addresses. */
export async function findOwn(
  ctx: Ctx,
  space: AddressSpace,
  payments: readonly { address: string }[],
): Promise<{ index: number; seenAt: Date }[]> {
  const rows = await ctx.db.query<{ position: bigint; seenAt: Date }>(
    `select position, now() as "seenAt"
       from unnest($2::text[]) with ordinality as payment (address, position)
       join deposit_addresses on deposit_addresses.address_space = $1 and deposit_addresses.address = payment.address
      order by position`,
    [space, payments.map(({ address }) => address)],
  );
  return rows.map(({ position, seenAt }) => ({ index: Number(position) - 1, seenAt }));
}

/** @param watchMs from now on */
export async function extendWatches(ctx: Ctx, ids: readonly bigint[], watchMs: number): Promise<void> {
  await ctx.db.query(
    `update deposit_addresses set watched_until = greatest(watched_until, now() + $2 * interval '1 millisecond')
      where id = any($1::bigint[])`,
    [ids, watchMs],
  );
}

export interface AccountState {
  space: AddressSpace;
  fingerprint: string;
  addressCount: number;
  paidCount: number;
  /** The longest run of addresses without a payment: the gap that a wallet must scan. */
  gap: number;
}

export function listAccounts(ctx: Ctx): Promise<AccountState[]> {
  return ctx.db.query(
    `select address_space as space, fingerprint, count(address.id)::int as "addressCount",
            (count(*) filter (where is_paid))::int as "paidCount", coalesce(max(run), 0)::int as gap
       from wallet_accounts
       left join lateral (
         select id, is_paid,
                derivation_index - coalesce(max(case when is_paid then derivation_index end) over (
                  order by derivation_index rows between unbounded preceding and 1 preceding), 0) as run
           from (select id, derivation_index,
                        exists (select from deposits where deposits.address_id = deposit_addresses.id) as is_paid
                   from deposit_addresses where wallet_account_id = wallet_accounts.id) as own
       ) as address on true
      where fingerprint <> 'sandbox'
      group by wallet_accounts.id order by wallet_accounts.id`,
  );
}

export interface WalletAddress {
  id: bigint;
  address: string;
  /** Its number in the wallet, and the account that it was derived from. */
  derivationIndex: bigint;
  fingerprint: string;
}

/** All addresses of a space, in pages. */
export function listAddresses(ctx: Ctx, space: AddressSpace, afterId: bigint, limit: number): Promise<WalletAddress[]> {
  return ctx.db.query(
    `select deposit_addresses.id, address, derivation_index as "derivationIndex", fingerprint
       from deposit_addresses join wallet_accounts on wallet_accounts.id = wallet_account_id
      where deposit_addresses.address_space = $1 and deposit_addresses.id > $2 order by deposit_addresses.id limit $3`,
    [space, afterId, limit],
  );
}

/** Whether an address was ever given to a user. */
export async function isIssued(ctx: Ctx, space: AddressSpace, address: string): Promise<boolean> {
  const rows = await ctx.db.query('select from deposit_addresses where address_space = $1 and address = $2 limit 1', [
    space,
    address,
  ]);
  return rows.length > 0;
}

export interface WalletAccount {
  id: bigint;
  space: AddressSpace;
  fingerprint: string;
  /** Of the next address. */
  nextIndex: bigint;
}

const WALLET_ACCOUNTS = `select id, address_space as space, fingerprint, next_index as "nextIndex"
                           from wallet_accounts where fingerprint <> 'sandbox' order by id`;

export function listWalletAccounts(ctx: Ctx): Promise<WalletAccount[]> {
  return ctx.db.query(WALLET_ACCOUNTS);
}

/** Until the end of the transaction, no index is taken. */
export function lockWalletAccounts(ctx: Ctx): Promise<WalletAccount[]> {
  return ctx.db.query(`${WALLET_ACCOUNTS} for update`);
}

export async function saveNextIndex(ctx: Ctx, accountId: bigint, nextIndex: bigint): Promise<void> {
  await ctx.db.query('update wallet_accounts set next_index = $2 where id = $1', [accountId, nextIndex]);
}

interface SkippedAddresses {
  space: AddressSpace;
  accountId: bigint;
  addresses: readonly { index: bigint; address: string }[];
  watchedDays: number;
}

/** Addresses of customers whom the database does not know any more. */
export async function insertSkipped(
  ctx: Ctx,
  { space, accountId, addresses, watchedDays }: SkippedAddresses,
): Promise<void> {
  await ctx.db.query(
    `insert into deposit_addresses (address_space, address, user_id, is_reused, wallet_account_id, derivation_index, mac, watched_until)
     select $1, address, null, false, $2, index, '', now() + $5 * interval '1 day'
       from unnest($3::bigint[], $4::text[]) as skipped (index, address)`,
    [space, accountId, addresses.map(({ index }) => index), addresses.map(({ address }) => address), watchedDays],
  );
}

/** @returns the most addresses of an account that were given within such a time */
export async function countMostWithin(ctx: Ctx, milliseconds: number): Promise<bigint> {
  const [row] = await ctx.db.query<{ most: bigint }>(
    `select coalesce(max(count), 0) as most
       from (select count(*) over (partition by wallet_account_id order by created_at
                                   range between current row and $1 * interval '1 millisecond' following) as count
               from deposit_addresses) as counted`,
    [milliseconds],
  );
  return row!.most;
}

export async function findNewestInvoiceTime(ctx: Ctx): Promise<Date | undefined> {
  const [row] = await ctx.db.query<{ createdAt: Date | null }>('select max(created_at) as "createdAt" from invoices');
  return row?.createdAt ?? undefined;
}
