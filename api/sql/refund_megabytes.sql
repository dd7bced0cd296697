-- revision: 1
-- Refunds a connection from its escrow account to its payer, as the next charge of its receipt: the price of
-- the megabytes `megabyte_from` (inclusive) to `megabyte_to` (exclusive), counted from 0. The caller has locked the payer's account, which
-- guards the connection. Uses the statement's time, because the transaction may have started before another one that got the lock first.
-- Returns false if there is no such connection.
create or replace function refund_megabytes(refunded_id uuid, megabyte_from bigint, megabyte_to bigint)
returns boolean language plpgsql as $$
#variable_conflict use_variable
begin
  with refunded as (
    update connections
       set escrow_micros = escrow_micros - refund.micros, charge_count = charge_count + 1,
           charge_hash = charge_hash(charge_hash, id, charge_count + 1, charge_time(statement_timestamp()), 'REFUND',
                                     megabyte_from + 1, megabyte_to, uploaded_bytes, used_bytes - uploaded_bytes,
                                     megabyte_price(price_micros), -refund.micros)
      from (select id as connection_id, (megabyte_to - megabyte_from) * megabyte_price(price_micros) as micros
              from connections where id = refunded_id) as refund
     where id = refund.connection_id
    returning id, payer_account_id, escrow_account_id, refund.micros, uploaded_bytes,
              used_bytes - uploaded_bytes as downloaded_bytes, charge_hash
  ), posted as (
    -- A refund has no range: its megabytes are the last of the charged ones.
    insert into transfers (idempotency_key, debit_account_id, credit_account_id, amount_micros, reason,
                           uploaded_bytes, downloaded_bytes, charge_hash, created_at)
    select 'connection:' || id || ':refund', escrow_account_id, payer_account_id, micros, 'REFUND',
           uploaded_bytes, downloaded_bytes, charge_hash, statement_timestamp()
      from refunded
  )
  update accounts set balance_micros = balance_micros + micros from refunded where accounts.id = payer_account_id;
  return found;
end $$;
