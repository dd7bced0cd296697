-- revision: 1
-- of: ledger
-- Accounts of customers and system accounts; escrow accounts are in the view balances.
create or replace view readable_accounts as
select id, kind, balance_micros, held_micros from accounts;
