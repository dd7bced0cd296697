create table connections (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references users,
  proxy_id uuid not null references proxies,
  -- Each change of a connection is made under the lock of its payer's account.
  payer_account_id bigint not null references accounts,
  escrow_account_id bigint not null unique references accounts,
  -- As bought: US dollars for 100 MB.
  price_micros bigint not null check (price_micros > 0 and price_micros % 100 = 0),
  status text not null default 'WORK'
    check (status in ('WORK', 'NOT_WORK', 'DISCONNECT_USER', 'DISCONNECT_ADMIN', 'NO_MONEY')),
  end_reason text check (end_reason in ('USER', 'ADMIN', 'IDLE', 'NO_MONEY', 'EXIT_LOST')),
  refund_status text not null default 'NONE' check (refund_status in ('NONE', 'REFUNDED')),
  username text not null unique,
  -- Shown to the customer again: encrypted at rest. Checked for the gateway: a keyed hash.
  password_encrypted bytea not null,
  password_hash bytea not null,
  dns_port integer,
  -- Sums over the gateway runs below; a run that is over counts in both with what it used.
  used_bytes bigint not null default 0,
  granted_bytes bigint not null default 0,
  -- Paid megabytes: the prepaid ones and each that began after them; after a refund those that began.
  charged_megabytes bigint not null,
  -- Traffic that no free money was left for when its late report came.
  written_off_bytes bigint not null default 0,
  -- The last time that the traffic had grown by the idle threshold, and the total then.
  idle_since timestamptz not null default now(),
  idle_mark_bytes bigint not null default 0,
  -- Set while the gateway is asked for its last report; the status changes when it has come.
  ending_reason text check (ending_reason in ('USER', 'ADMIN', 'IDLE', 'EXIT_LOST')),
  ending_at timestamptz,
  idempotency_key text,
  created_at timestamptz not null default now(),
  synced_at timestamptz,
  ended_at timestamptz,
  check (used_bytes between 0 and granted_bytes),
  check ((status = 'WORK') = (ended_at is null)),
  check ((status = 'WORK') = (end_reason is null))
) with (fillfactor = 70);
-- One proxy is sold to one user at a time, whatever the code above believes.
create unique index connections_sold_once on connections (proxy_id) where status = 'WORK';
create unique index connections_idempotency on connections (user_id, idempotency_key) where idempotency_key is not null;
create index connections_of_user on connections (user_id, created_at desc, id);
create index connections_newest on connections (created_at desc, id);
-- No index on idle_since: it changes with the traffic, and each change would rewrite every other index entry too.
create index connections_open on connections (id) where status = 'WORK';
create index connections_ending on connections (ending_at) where status = 'WORK' and ending_at is not null;
alter table proxies add foreign key (connection_id) references connections deferrable initially deferred;

-- The DNS ports that customers are given; as many as the setting GATEWAY_DNS_PORTS has.
create table dns_ports (
  port integer primary key,
  connection_id uuid unique references connections
);
create index dns_ports_free on dns_ports (port) where connection_id is null;

create table gateway_nodes (
  id uuid primary key default gen_random_uuid(),
  name text not null unique,
  token_hash bytea not null unique,
  seen_at timestamptz
);

-- One start of a gateway process.
create table gateway_runs (
  id uuid primary key,
  node_id uuid not null references gateway_nodes,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);

-- What one run counted on one connection, and up to where it was allowed to. Both only grow.
create table connection_runs (
  connection_id uuid not null references connections,
  run_id uuid not null references gateway_runs,
  used_bytes bigint not null default 0,
  granted_bytes bigint not null default 0,
  -- False once the run is over for this connection: what it did not use is free again.
  is_open boolean not null default true,
  primary key (connection_id, run_id),
  check (used_bytes between 0 and granted_bytes)
) with (fillfactor = 70);
create index connection_runs_open on connection_runs (run_id) where is_open;
