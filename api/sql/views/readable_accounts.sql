-- revision: 1
-- of: ledger
-- Of customers and of the shop itself; escrow accounts are in the view balances.
create or replace view readable_accounts as
select id, kind, balance_micros, held_micros from accounts;
