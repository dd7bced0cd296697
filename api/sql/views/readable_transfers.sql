-- revision: 1
-- of: ledger
-- For statements, receipts and usage.
create or replace view readable_transfers as
select id, idempotency_key, debit_account_id, credit_account_id, amount_micros, reason, megabyte_from, megabyte_to, uploaded_bytes,
       downloaded_bytes, charge_hash, created_at
  from transfers;
