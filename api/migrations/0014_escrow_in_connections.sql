-- An escrow account belongs to one connection, is opened and emptied with it, and changes whenever it does. So it lives in
-- the connection's row, with the head of the receipt's chain: a charge writes one row less, a purchase too. Its number
-- stays in the ledger's one row of account numbers.
alter table connections
  add column escrow_micros bigint not null default 0 constraint escrow_not_negative check (escrow_micros >= 0),
  add column charge_count integer not null default 0,
  add column charge_hash bytea;
update connections
   set escrow_micros = balance_micros, charge_count = accounts.charge_count, charge_hash = accounts.charge_hash
  from accounts where accounts.id = escrow_account_id;

-- Accounts are never deleted (migration 0008) and a purchase has locked its payer's: to look it up again would only cost
-- time.
alter table connections
  drop constraint connections_escrow_account_id_fkey,
  drop constraint connections_payer_account_id_fkey,
  alter column escrow_account_id set default nextval('accounts_id_seq');
-- One function writes both ends of this one, and connections stay.
alter table proxies drop constraint proxies_connection_id_fkey;
alter table verified_sums drop constraint verified_sums_account_id_fkey;
alter table accounts disable trigger accounts_stay;
delete from accounts where kind = 'ESCROW';
alter table accounts enable trigger accounts_stay;
alter table accounts
  drop constraint accounts_kind_check,
  add constraint accounts_kind_check check (kind in ('EXTERNAL', 'REVENUE', 'BONUS', 'LOSS', 'USER')),
  drop constraint customer_not_negative,
  add constraint customer_not_negative check (kind <> 'USER' or balance_micros - held_micros >= 0),
  drop column charge_count,
  drop column charge_hash;
-- An escrow has no row of its own to keep; the connection that it belongs to stays, because its receipt does.
create trigger connections_stay before delete on connections for each row execute function refuse_change();
create trigger connections_not_truncated before truncate on connections for each statement execute function refuse_change();

-- All accounts, wherever they live, as an auditor reads them.
create view balances as
select id as account_id, kind, balance_micros, held_micros from accounts
union all
select escrow_account_id, 'ESCROW', escrow_micros, 0 from connections;

-- Only what has a key is in the index: of the charges, which are by far the most, none.
alter table transfers drop constraint transfers_idempotency_key_key;
create unique index transfers_idempotency on transfers (idempotency_key) where idempotency_key is not null;

-- Sells a proxy in one round trip. Each rule stands at its place in the order of locks: payer, proxy, connection.
-- A refusal leaves nothing changed.
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

  -- The money goes from the payer to the connection's escrow account, as the first entry of its receipt.
  outcome := 'BOUGHT';
  connection_id := new_id;
  created_at := now();
  escrow_id := nextval('accounts_id_seq');
  head := charge_hash(null, new_id, 1, charge_time(now()), 'PREPAID_50_MB', 1, 50, 0, 0, megabyte_micros, cost_micros);
  update accounts set balance_micros = accounts.balance_micros - cost_micros where id = payer_id
    returning accounts.balance_micros into balance_micros;
  insert into transfers (debit_account_id, credit_account_id, amount_micros, reason, megabyte_from, megabyte_to,
                         uploaded_bytes, downloaded_bytes, charge_hash)
  values (payer_id, escrow_id, cost_micros, 'PREPAID_50_MB', 0, 50, 0, 0, head);

  -- A DNS port of its own, if one is free. Buyers at the same time pass over each other's.
  select port into dns_port from dns_ports where connection_id is null order by port limit 1 for update skip locked;
  insert into connections (id, user_id, proxy_id, payer_account_id, escrow_account_id, price_micros, charged_megabytes,
                           username, password_encrypted, password_hash, idempotency_key, dns_port, escrow_micros,
                           charge_count, charge_hash)
  values (new_id, buyer_id, wanted_proxy_id, payer_id, escrow_id, shown_price_micros, 50,
          new_username, new_password_encrypted, new_password_hash, key, dns_port, cost_micros, 1, head);
  if dns_port is not null then
    update dns_ports set connection_id = new_id where port = dns_port;
  end if;
end $$;
