-- What a column may say is a type of its own. A check constraint is parsed anew by every statement that writes its table, and
-- these, with their lists of words, were a good part of what a purchase costs. The rules are the same as before.
create type account_kind as enum ('EXTERNAL', 'REVENUE', 'BONUS', 'LOSS', 'USER');
create type transfer_reason as enum ('TOP_UP', 'TRIAL', 'REFERRAL_BONUS', 'PREPAID_50_MB', 'MEGABYTE', 'REFUND', 'SETTLE');
create type connection_status as enum ('WORK', 'NOT_WORK', 'DISCONNECT_USER', 'DISCONNECT_ADMIN', 'NO_MONEY');
create type connection_end_reason as enum ('USER', 'ADMIN', 'IDLE', 'NO_MONEY', 'EXIT_LOST');
create type refund_status as enum ('NONE', 'REFUNDED');

drop view balances;
alter table accounts
  drop constraint accounts_kind_check,
  drop constraint customer_not_negative,
  alter column kind type account_kind using kind::account_kind,
  add constraint customer_not_negative check (kind <> 'USER' or balance_micros - held_micros >= 0);
create view balances as
select id as account_id, kind::text, balance_micros, held_micros from accounts
union all
select escrow_account_id, 'ESCROW', escrow_micros, 0 from connections;

drop view entries;
alter table transfers
  drop constraint transfers_reason_check,
  drop constraint transfers_check1,
  drop constraint charges_are_chained,
  alter column reason type transfer_reason using reason::transfer_reason,
  add constraint transfers_check1
    check ((reason in ('PREPAID_50_MB', 'MEGABYTE')) = (megabyte_from is not null and megabyte_to > megabyte_from)),
  add constraint charges_are_chained
    check ((reason in ('PREPAID_50_MB', 'MEGABYTE', 'REFUND')) = (charge_hash is not null)
           and num_nulls(charge_hash, uploaded_bytes, downloaded_bytes) in (0, 3));
create view entries as
select id as transfer_id, debit_account_id as account_id, -amount_micros as amount_micros, reason, created_at from transfers
union all
select id, credit_account_id, amount_micros, reason, created_at from transfers;

-- Their conditions name words of the old type.
drop index connections_ending, connections_sold_once;
alter table connections
  drop constraint connections_check1,
  drop constraint connections_check2,
  drop constraint connections_status_check,
  drop constraint connections_end_reason_check,
  drop constraint connections_ending_reason_check,
  drop constraint connections_refund_status_check,
  alter column status drop default,
  alter column status type connection_status using status::connection_status,
  alter column status set default 'WORK',
  alter column refund_status drop default,
  alter column refund_status type refund_status using refund_status::refund_status,
  alter column refund_status set default 'NONE',
  alter column end_reason type connection_end_reason using end_reason::connection_end_reason,
  alter column ending_reason type connection_end_reason using ending_reason::connection_end_reason,
  add constraint open_or_ended check (case status when 'WORK' then num_nonnulls(ended_at, end_reason) = 0
                                                  else num_nulls(ended_at, end_reason) = 0 end),
  -- Nobody asks for the end that comes with the money's.
  add constraint connections_ending_reason_check check (ending_reason <> 'NO_MONEY');
create index connections_ending on connections (ending_at) where status = 'WORK' and ending_at is not null;
create unique index connections_sold_once on connections (proxy_id) where status = 'WORK';

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

-- Sells a proxy in one round trip. Each rule stands at its place in the order of locks: payer, proxy, connection.
-- A refusal leaves nothing changed. What a sale writes, once it is certain, is one statement.
create or replace function buy_proxy(
  in wanted_proxy_id uuid, in shown_price_micros bigint, in buyer_id uuid, in payer_id bigint,
  in key text, in new_id uuid, in new_username text, in new_password_encrypted bytea, in new_password_hash bytea,
  out outcome text, out connection_id uuid, out created_at timestamptz, out dns_port integer, out balance_micros bigint,
  out proxy proxies
) language plpgsql as $$
#variable_conflict use_column
declare
  payer accounts;
  replay connections;
  megabyte_micros bigint;
  cost_micros bigint;
  escrow_id bigint;
  head bytea;
begin
  -- Locked first: all purchases and charges of one customer happen one after another.
  select * into strict payer from accounts where id = payer_id for no key update;

  -- A repeat is answered with what the first request bought.
  if key is not null then
    select * into replay from connections where user_id = buyer_id and idempotency_key = key;
    if found then
      outcome := case when replay.proxy_id = wanted_proxy_id then 'REPLAYED' else 'IDEMPOTENCY_KEY_REUSED' end;
      connection_id := replay.id;
      return;
    end if;
  end if;

  -- 50 MB at the price for 100 MB. Money that is held for other connections cannot be spent here.
  megabyte_micros := shown_price_micros / 100;
  cost_micros := megabyte_micros * 50;
  -- Other buyers of the same proxy wait here, and then find it sold.
  if payer.balance_micros - payer.held_micros >= cost_micros then
    update proxies set connection_id = new_id
     where id = wanted_proxy_id and connection_id is null and is_healthy and price_micros = shown_price_micros
    returning * into proxy;
  end if;
  if proxy.id is null then
    select * into proxy from proxies where id = wanted_proxy_id;
    outcome := case when not found or proxy.connection_id is not null or not proxy.is_healthy then 'PROXY_NOT_FOUND'
                    when proxy.price_micros <> shown_price_micros then 'PRICE_CHANGED'
                    when payer.balance_micros - payer.held_micros < cost_micros then 'SMALL_BALANCE'
                    -- It was somebody else's a moment ago.
                    else 'PROXY_NOT_FOUND' end;
    return;
  end if;

  outcome := 'BOUGHT';
  connection_id := new_id;
  created_at := now();
  escrow_id := nextval('accounts_id_seq');
  head := charge_hash(null, new_id, 1, charge_time(now()), 'PREPAID_50_MB', 1, 50, 0, 0, megabyte_micros, cost_micros);
  -- The money goes from the payer to the connection's escrow account, as the first entry of its receipt.
  with paid as (
    update accounts set balance_micros = accounts.balance_micros - cost_micros where id = payer_id
    returning accounts.balance_micros
  ), posted as (
    insert into transfers (debit_account_id, credit_account_id, amount_micros, reason, megabyte_from, megabyte_to,
                           uploaded_bytes, downloaded_bytes, charge_hash)
    values (payer_id, escrow_id, cost_micros, 'PREPAID_50_MB', 0, 50, 0, 0, head)
  ), free as (
    -- A DNS port of its own, if one is free. Buyers at the same time pass over each other's.
    select port from dns_ports where connection_id is null order by port limit 1 for update skip locked
  ), taken as (
    update dns_ports set connection_id = new_id from free where dns_ports.port = free.port
  ), opened as (
    insert into connections (id, user_id, proxy_id, payer_account_id, escrow_account_id, price_micros,
                             charged_megabytes, username, password_encrypted, password_hash, idempotency_key, dns_port,
                             escrow_micros, charge_count, charge_hash)
    values (new_id, buyer_id, wanted_proxy_id, payer_id, escrow_id, shown_price_micros, 50, new_username,
            new_password_encrypted, new_password_hash, key, (select port from free), cost_micros, 1, head)
  )
  select (select balance_micros from paid), (select port from free) into balance_micros, dns_port;
end $$;
