-- What a column may say is a type of its own, as far as a type can say it. PostgreSQL parses a table's check constraints anew, from
-- their text, in each statement that writes it; they were a third of what a purchase costs. What remains here is written so that its
-- text is short. The rules are the same as before.
create type account_kind as enum ('EXTERNAL', 'REVENUE', 'BONUS', 'LOSS', 'USER');
-- In this order up to MEGABYTE a charge, up to REFUND an entry of a receipt.
create type transfer_reason as enum ('PREPAID_50_MB', 'MEGABYTE', 'REFUND', 'SETTLE', 'TOP_UP', 'TRIAL', 'REFERRAL_BONUS');
create type connection_status as enum ('WORK', 'NOT_WORK', 'DISCONNECT_USER', 'DISCONNECT_ADMIN', 'NO_MONEY');
create type end_reason as enum ('USER', 'ADMIN', 'IDLE', 'EXIT_LOST', 'NO_MONEY');
-- Nobody asks for the end that comes with the money's.
create type requested_end as enum ('USER', 'ADMIN', 'IDLE', 'EXIT_LOST');
create type refund_status as enum ('NONE', 'REFUNDED');
-- Micro-dollars for 100 MB; a megabyte's price is whole.
create domain price_micros as bigint check (value > 0 and value % 100 = 0);
create domain amount_micros as bigint constraint amount_positive check (value > 0);
create domain held_micros as bigint constraint held_not_negative check (value >= 0);
create domain escrow_micros as bigint constraint escrow_not_negative check (value >= 0);
create domain country_code as text check (value ~ '^[A-Z]{2}$');

drop view balances, entries;
alter table accounts
  drop constraint accounts_kind_check,
  drop constraint customer_not_negative,
  drop constraint accounts_held_micros_check,
  alter column held_micros type held_micros,
  alter column kind type account_kind using kind::account_kind,
  add constraint customer_not_negative check (balance_micros >= held_micros or kind <> 'USER');

alter table transfers
  drop constraint transfers_reason_check,
  drop constraint transfers_check1,
  drop constraint charges_are_chained,
  drop constraint transfers_amount_micros_check,
  alter column amount_micros type amount_micros,
  alter column reason type transfer_reason using reason::transfer_reason,
  add constraint charges_have_megabytes check ((reason <= 'MEGABYTE') = (megabyte_to > megabyte_from is true)),
  add constraint charges_are_chained
    check (num_nonnulls(charge_hash, uploaded_bytes, downloaded_bytes) = case when reason <= 'REFUND' then 3 else 0 end);

-- Their conditions name words of the old type.
drop index connections_ending, connections_sold_once;
alter table connections
  drop constraint connections_check,
  drop constraint connections_check1,
  drop constraint connections_check2,
  drop constraint uploaded_is_used,
  drop constraint connections_price_micros_check,
  drop constraint escrow_not_negative,
  drop constraint connections_status_check,
  drop constraint connections_end_reason_check,
  drop constraint connections_ending_reason_check,
  drop constraint connections_refund_status_check,
  alter column price_micros type price_micros,
  alter column escrow_micros type escrow_micros,
  alter column status drop default,
  alter column status type connection_status using status::connection_status,
  alter column status set default 'WORK',
  alter column refund_status drop default,
  alter column refund_status type refund_status using refund_status::refund_status,
  alter column refund_status set default 'NONE',
  alter column end_reason type end_reason using end_reason::end_reason,
  alter column ending_reason type requested_end using ending_reason::requested_end,
  add constraint bytes_in_order check (0 <= uploaded_bytes and uploaded_bytes <= used_bytes and used_bytes <= granted_bytes),
  add constraint open_or_ended check (num_nulls(ended_at, end_reason) = case status when 'WORK' then 2 else 0 end);
create index connections_ending on connections (ending_at) where status = 'WORK' and ending_at is not null;
create unique index connections_sold_once on connections (proxy_id) where status = 'WORK';

alter table proxies
  drop constraint proxies_price_micros_check,
  drop constraint proxies_country_code_check,
  alter column price_micros type price_micros,
  alter column country_code type country_code;

create view balances as
select id as account_id, kind::text, balance_micros, held_micros from accounts
union all
select escrow_account_id, 'ESCROW', escrow_micros, 0 from connections;
create view entries as
select id as transfer_id, debit_account_id as account_id, -amount_micros as amount_micros, reason, created_at from transfers
union all
select id, credit_account_id, amount_micros, reason, created_at from transfers;

-- A purchase has just sold the proxy to a signed-in user; to look both up again would only cost time. What protects them
-- is that they stay: users always (migration 0001), proxies once they were sold.
alter table connections
  drop constraint connections_proxy_id_fkey,
  drop constraint connections_user_id_fkey;
create trigger users_stay before delete on users for each row execute function refuse_change();
create trigger users_not_truncated before truncate on users for each statement execute function refuse_change();
create function refuse_if_sold() returns trigger language plpgsql as $$
begin
  -- A purchase locks the proxy first, so it is either finished here or finds the proxy gone.
  if exists (select from connections where proxy_id = old.id) then
    raise exception 'proxy % was sold and stays', old.id;
  end if;
  return old;
end $$;
create trigger sold_proxies_stay before delete on proxies for each row execute function refuse_if_sold();
create trigger proxies_not_truncated before truncate on proxies for each statement execute function refuse_change();
