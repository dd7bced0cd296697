-- revision: 1
-- Inserts the transfers whose idempotency key is new, and updates the balances: first of customers, whose accounts the caller
-- has locked, and of escrow accounts, which are columns of their connections; then of the shared system accounts, in the order of their
-- ids, because they are last in the lock order. System accounts have ids below 1000.
-- Returns the new keys.
create or replace function post_transfers(
  keys text[], debit_account_ids bigint[], credit_account_ids bigint[], amounts bigint[], reasons transfer_reason[]
) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  new_keys text[];
  shared_deltas jsonb;
  delta record;
begin
  with posted as (
    insert into transfers (idempotency_key, debit_account_id, credit_account_id, amount_micros, reason)
    select * from unnest(keys, debit_account_ids, credit_account_ids, amounts, reasons)
    on conflict (idempotency_key) where idempotency_key is not null do nothing
    returning idempotency_key, debit_account_id, credit_account_id, amount_micros
  ), deltas as (
    select account_id, sum(micros)::bigint as micros
      from (select debit_account_id as account_id, -amount_micros as micros from posted
            union all
            select credit_account_id, amount_micros from posted) as entry
     group by account_id
  ), moved as (
    update accounts set balance_micros = balance_micros + micros from deltas where id = account_id and account_id >= 1000
  ), settled as (
    update connections set escrow_micros = escrow_micros + micros from deltas where escrow_account_id = account_id
  )
  select (select coalesce(array_agg(idempotency_key), '{}') from posted),
         (select jsonb_object_agg(account_id, micros) from deltas where account_id < 1000 and micros <> 0)
    into new_keys, shared_deltas;
  for delta in select key::bigint as account_id, value::bigint as micros from jsonb_each_text(shared_deltas) order by 1 loop
    update accounts set balance_micros = balance_micros + delta.micros where id = delta.account_id;
  end loop;
  return new_keys;
end $$;
