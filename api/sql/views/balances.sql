-- revision: 1
-- of: billing, ledger
-- All accounts, for invariant checks. An escrow account is a column of its connection.
create or replace view balances as
select id as account_id, kind::text, balance_micros, held_micros from accounts
union all
select escrow_account_id, 'ESCROW', escrow_micros, 0 from connections;
