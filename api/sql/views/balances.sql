-- revision: 1
-- of: billing, ledger
-- All accounts, wherever they live, as an auditor reads them: an escrow account is in its connection's row.
create or replace view balances as
select id as account_id, kind::text, balance_micros, held_micros from accounts
union all
select escrow_account_id, 'ESCROW', escrow_micros, 0 from connections;
