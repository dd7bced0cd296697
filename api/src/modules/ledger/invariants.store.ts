import { invariant, walkedInvariant, type Invariant, type Walk } from '../../db/invariant.ts';
import { findDifferingBalances } from './sums.ts';

const newTransfers: Walk = {
  next: 'select id as key from transfers where id > $1::bigint order by id limit $2',
  rows: 'id > $1::bigint and id <= $2::bigint',
  rowsMax: 20_000,
  from: ({ verified }) => String(verified.transferId),
};

export const ledgerInvariants: Invariant[] = [
  invariant(
    'all balances together are zero',
    `select 'the sum is ' || sum(balance_micros) as broken from balances having sum(balance_micros) <> 0`,
  ),
  { rule: 'each balance is the sum of its entries', findBroken: findDifferingBalances },
  walkedInvariant(
    'every entry belongs to an account',
    // An account is in one of two tables, so a foreign key cannot say it (docs/decisions/0012).
    (rows) =>
      `select 'account ' || account_id || ' does not exist and has entries' as broken
         from (select distinct account_id
                 from transfers cross join lateral (values (debit_account_id), (credit_account_id)) as side (account_id)
                where ${rows}) as entry
        where not exists (select from balances where balances.account_id = entry.account_id)`,
    newTransfers,
  ),
  invariant(
    'no customer and no escrow is below zero, holds included',
    `select 'account ' || account_id || ' has ' || balance_micros || ' and holds ' || held_micros as broken
       from balances where held_micros < 0 or (kind in ('USER', 'ESCROW') and balance_micros - held_micros < 0)`,
  ),
  walkedInvariant(
    'every transfer moves a positive amount',
    (rows) =>
      `select 'transfer ' || id || ' moves ' || amount_micros as broken
         from transfers where ${rows} and (amount_micros <= 0 or debit_account_id = credit_account_id)`,
    newTransfers,
  ),
  walkedInvariant(
    'every transfer is between accounts that exist',
    (rows) =>
      `select 'transfer ' || id || ' names account ' || account_id as broken
         from transfers cross join lateral (values (debit_account_id), (credit_account_id)) as side (account_id)
        where ${rows} and not exists (select from balances where balances.account_id = side.account_id)`,
    newTransfers,
  ),
];
