-- revision: 3
-- Sells a proxy in one round trip. Checks follow the lock order: payer, proxy, connection.
-- A refusal changes nothing.
create or replace function buy_proxy(
  in wanted_proxy_id uuid, in shown_price_micros bigint, in buyer_id uuid, in payer_id bigint,
  in key text, in new_id uuid, in new_username text, in new_password_encrypted bytea, in new_password_hash bytea,
  in open_connections_max integer, in purchases_per_hour integer,
  out outcome text, out connection_id uuid, out created_at timestamptz, out dns_port integer, out balance_micros bigint,
  out proxy proxies, out retry_after_seconds integer
) language plpgsql as $$
#variable_conflict use_column
declare
  free_micros bigint;
  replay record;
  open_connections integer;
  megabyte_micros bigint;
  cost_micros bigint;
  escrow_id bigint;
  head bytea;
  exit_node_id uuid;
  usual_lock_timeout constant text := current_setting('lock_timeout');
begin
  -- Serializes all purchases and charges of one customer. Money held for other connections cannot be spent.
  select accounts.balance_micros - held_micros into strict free_micros from accounts where id = payer_id for no key update;

  -- A repeated request returns the connection of the first one.
  if key is not null then
    select id, proxy_id into replay from connections where user_id = buyer_id and idempotency_key = key;
    if found then
      outcome := case when replay.proxy_id = wanted_proxy_id then 'REPLAYED' else 'IDEMPOTENCY_KEY_REUSED' end;
      connection_id := replay.id;
      return;
    end if;
  end if;

  -- The lock above serializes the buyer's purchases, so concurrent ones cannot exceed the limits.
  select ceil(extract(epoch from created_at + interval '1 hour' - now())) into retry_after_seconds
    from connections where user_id = buyer_id and created_at > now() - interval '1 hour'
   order by created_at desc offset purchases_per_hour - 1 limit 1;
  if found then
    outcome := 'RATE_LIMITED';
    return;
  end if;
  select count(*) into open_connections
    from (select from connections where user_id = buyer_id and status = 'WORK' limit open_connections_max) as open_connection;
  if open_connections >= open_connections_max then
    outcome := 'TOO_MANY_CONNECTIONS';
    -- It is unknown when one of them will end.
    retry_after_seconds := 60;
    return;
  end if;

  megabyte_micros := megabyte_price(shown_price_micros);
  cost_micros := megabyte_micros * prepaid_megabytes();
  -- Concurrent buyers of the same proxy wait here, then find it sold. A bulk change of staff holds its proxies for longer: then this
  -- fails with lock_not_available, because the purchase holds the lock of the payer and a connection of the pool.
  if free_micros >= cost_micros then
    perform set_config('lock_timeout', '300ms', true);
    update proxies set connection_id = new_id
      from exits join gateway_nodes on gateway_nodes.id = exits.node_id
     where proxies.id = wanted_proxy_id and connection_id is null and is_healthy and price_micros = shown_price_micros
       -- A node that has just begun to drain: its proxies leave the catalogue a moment later.
       and exits.id = exit_id and not is_draining
    returning proxies.* into proxy;
    perform set_config('lock_timeout', usual_lock_timeout, true);
  end if;
  if proxy.id is null then
    select * into proxy from proxies where id = wanted_proxy_id;
    outcome := case when not found or proxy.connection_id is not null or not proxy.is_healthy then 'PROXY_NOT_FOUND'
                    when proxy.price_micros <> shown_price_micros then 'PRICE_CHANGED'
                    when free_micros < cost_micros then 'SMALL_BALANCE'
                    -- Its node drains; or it was sold when this purchase tried, and has been returned since.
                    else 'PROXY_NOT_FOUND' end;
    return;
  end if;

  -- What the connection keeps as its address, and what the buyer is shown.
  if proxy.ip is null then
    select seen_address into proxy.ip from exit_checks where exit_id = proxy.exit_id;
  end if;

  -- Moves the money from the payer to the connection's escrow account, as the first charge of its receipt.
  outcome := 'BOUGHT';
  connection_id := new_id;
  created_at := now();
  escrow_id := nextval('accounts_id_seq');
  head := charge_hash(null, new_id, 1, charge_time(now()), 'PREPAID_50_MB', 1, prepaid_megabytes(), 0, 0,
                      megabyte_micros, cost_micros);
  update accounts set balance_micros = accounts.balance_micros - cost_micros where id = payer_id
    returning accounts.balance_micros into balance_micros;
  -- Assigns a free DNS port of the exit's node. Concurrent purchases skip each other's.
  select node_id into strict exit_node_id from exits where id = proxy.exit_id;
  update node_dns_ports set connection_id = new_id
   where node_id = exit_node_id
     and port = (select port from node_dns_ports where node_id = exit_node_id and connection_id is null
                  order by port limit 1 for update skip locked)
  returning port into dns_port;
  insert into connections (id, user_id, proxy_id, payer_account_id, escrow_account_id, price_micros, charged_megabytes,
                           exit_id, address, username, password_encrypted, password_hash, idempotency_key, dns_port, escrow_micros,
                           charge_count, charge_hash)
  values (new_id, buyer_id, wanted_proxy_id, payer_id, escrow_id, shown_price_micros, prepaid_megabytes(),
          proxy.exit_id, proxy.ip, new_username, new_password_encrypted, new_password_hash, key, dns_port, cost_micros, 1, head);
  -- Inserted after the connection, because a transfer references its accounts.
  insert into transfers (debit_account_id, credit_account_id, amount_micros, reason, megabyte_from, megabyte_to,
                         uploaded_bytes, downloaded_bytes, charge_hash)
  values (payer_id, escrow_id, cost_micros, 'PREPAID_50_MB', 0, prepaid_megabytes(), 0, 0, head);
end $$;
