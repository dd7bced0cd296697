-- Of the used bytes, those that went from the client to its destinations. What was counted before this migration
-- counts as downloaded: nobody knows its direction.
alter table connections
  add column uploaded_bytes bigint not null default 0,
  add constraint uploaded_is_used check (uploaded_bytes between 0 and used_bytes);
alter table connection_runs
  add column uploaded_bytes bigint not null default 0,
  add constraint uploaded_is_used check (uploaded_bytes between 0 and used_bytes);

-- Receipts. Every charge of a connection is a transfer and, in the same row, one entry of a hash chain: what was charged,
-- what had been counted then, and a hash over this and the hash before it. The escrow account has the chain's head.
-- docs/receipts.md gives the exact bytes; these two functions are the only place that makes them.

-- A moment as receipts show it: UTC, cut to milliseconds.
create function charge_time(moment timestamptz) returns text language sql stable
return to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- `charged_at` comes from charge_time. Megabytes `first` to `last` are counted from 1, both included. `amount` is negative for what goes back.
create function charge_hash(
  previous bytea, connection_id uuid, number integer, charged_at text, kind text, first bigint, last bigint,
  uploaded_bytes bigint, downloaded_bytes bigint, megabyte_micros bigint, amount_micros bigint
) returns bytea language sql stable
return sha256(convert_to(concat_ws(
  E'\n', 'cellhop-charge-1', encode(coalesce(previous, decode(repeat('00', 32), 'hex')), 'hex'), connection_id, number,
  charged_at, kind, first, last, uploaded_bytes, downloaded_bytes, megabyte_micros, amount_micros
), 'UTF8'));

alter table accounts
  add column charge_count integer not null default 0,
  add column charge_hash bytea;

alter table transfers
  add column uploaded_bytes bigint,
  add column downloaded_bytes bigint,
  add column charge_hash bytea;

-- Charges from before this migration get their entries now. What had been counted when they were made is not known: they
-- say what must have been, at least. This adds to old rows and changes nothing of them.
alter table transfers disable trigger transfers_append_only;
do $$
declare
  connection record;
  charge record;
  head bytea;
  count integer;
  hashed_first bigint;
  hashed_last bigint;
  least_bytes bigint;
begin
  for connection in select *, price_micros / 100 as megabyte_micros from connections loop
    head := null;
    count := 0;
    for charge in
      select * from transfers
       where credit_account_id = connection.escrow_account_id
          or (debit_account_id = connection.escrow_account_id and reason = 'REFUND')
       order by id
    loop
      count := count + 1;
      hashed_first := coalesce(charge.megabyte_from, 50 - charge.amount_micros / connection.megabyte_micros) + 1;
      hashed_last := coalesce(charge.megabyte_to, 50);
      least_bytes := case charge.reason when 'REFUND' then connection.used_bytes
                                        when 'MEGABYTE' then (charge.megabyte_to - 1) * 1048576 + 1 else 0 end;
      head := charge_hash(
        head, connection.id, count, charge_time(charge.created_at), charge.reason, hashed_first, hashed_last, 0, least_bytes,
        connection.megabyte_micros,
        case charge.reason when 'REFUND' then -charge.amount_micros else charge.amount_micros end);
      update transfers set uploaded_bytes = 0, downloaded_bytes = least_bytes, charge_hash = head where id = charge.id;
    end loop;
    update accounts set charge_count = count, charge_hash = head where id = connection.escrow_account_id;
  end loop;
end $$;
alter table transfers enable trigger transfers_append_only;

alter table transfers
  -- The ledger refuses a megabyte twice by its number; a text beside it would only cost time.
  alter column idempotency_key drop not null,
  add constraint repeats_are_refused check (idempotency_key is not null or megabyte_from is not null),
  add constraint charges_are_chained check (
    (reason in ('PREPAID_50_MB', 'MEGABYTE', 'REFUND')) = (charge_hash is not null)
    and (charge_hash is null) = (uploaded_bytes is null) and (charge_hash is null) = (downloaded_bytes is null)
  );

-- The ledger knows the accounts that it moves money between, because it has locked them or changes them in the same
-- statement. To look them up once more for each row was a fifth of what a charge cost. Accounts are never deleted.
alter table transfers
  drop constraint transfers_debit_account_id_fkey,
  drop constraint transfers_credit_account_id_fkey;
create trigger accounts_stay before delete on accounts for each row execute function refuse_change();
create trigger accounts_not_truncated before truncate on accounts for each statement execute function refuse_change();

-- The busiest table has the fewest indexes that it can: a charge is in three.
drop index transfers_credit;
drop index transfers_megabyte;
-- No megabyte of a connection (its escrow account) is charged twice. Also the way to all that an account got.
create unique index transfers_megabyte on transfers (credit_account_id, megabyte_from);
-- What customers got, in order.
create index transfers_credit on transfers (credit_account_id, id) where megabyte_from is null;

-- Sells a proxy in one round trip. Each rule stands at its place in the order of locks: payer, proxy, connection.
-- A refusal leaves nothing changed: it comes before the first write.
create function buy_proxy(
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

  -- Other buyers of the same proxy wait here, and then find it sold.
  select * into proxy from proxies where id = wanted_proxy_id for update;
  if not found or proxy.connection_id is not null or not proxy.is_healthy then
    outcome := 'PROXY_NOT_FOUND';
    return;
  end if;
  if proxy.price_micros <> shown_price_micros then
    outcome := 'PRICE_CHANGED';
    return;
  end if;

  -- 50 MB at the price for 100 MB. Money that is held for other connections cannot be spent here.
  megabyte_micros := proxy.price_micros / 100;
  cost_micros := megabyte_micros * 50;
  if payer.balance_micros - payer.held_micros < cost_micros then
    outcome := 'SMALL_BALANCE';
    return;
  end if;

  outcome := 'BOUGHT';
  connection_id := new_id;
  created_at := now();
  update proxies set connection_id = new_id where id = wanted_proxy_id;

  -- The money goes from the payer to an escrow account of the connection's own, as the first entry of its receipt.
  head := charge_hash(null, new_id, 1, charge_time(now()), 'PREPAID_50_MB', 1, 50, 0, 0, megabyte_micros, cost_micros);
  insert into accounts (kind, balance_micros, charge_count, charge_hash) values ('ESCROW', cost_micros, 1, head)
    returning id into escrow_id;
  update accounts set balance_micros = accounts.balance_micros - cost_micros where id = payer_id
    returning accounts.balance_micros into balance_micros;
  insert into transfers (debit_account_id, credit_account_id, amount_micros, reason, megabyte_from, megabyte_to,
                         uploaded_bytes, downloaded_bytes, charge_hash)
  values (payer_id, escrow_id, cost_micros, 'PREPAID_50_MB', 0, 50, 0, 0, head);

  -- A DNS port of its own, if one is free. Buyers at the same time pass over each other's.
  select port into dns_port from dns_ports where connection_id is null order by port limit 1 for update skip locked;
  insert into connections (id, user_id, proxy_id, payer_account_id, escrow_account_id, price_micros, charged_megabytes,
                           username, password_encrypted, password_hash, idempotency_key, dns_port)
  values (new_id, buyer_id, wanted_proxy_id, payer_id, escrow_id, proxy.price_micros, 50,
          new_username, new_password_encrypted, new_password_hash, key, dns_port);
  if dns_port is not null then
    update dns_ports set connection_id = new_id where port = dns_port;
  end if;
end $$;

-- A batch changes every row of a page at once. With room for all of them the new versions stay on the page, no index has
-- to be written, and the next batch clears the old ones away.
alter table accounts set (fillfactor = 45);
alter table connections set (fillfactor = 45);
alter table connection_runs set (fillfactor = 45);

-- The open connections are found through connections_sold_once, which has exactly them.
drop index connections_open;
