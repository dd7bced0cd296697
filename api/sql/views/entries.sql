-- revision: 1
-- of: ledger
-- The two entries of each transfer, for invariant checks.
create or replace view entries as
select id as transfer_id, debit_account_id as account_id, -amount_micros as amount_micros, reason, created_at from transfers
union all
select id, credit_account_id, amount_micros, reason, created_at from transfers;
