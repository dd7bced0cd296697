-- Imported lines whose address nobody knows yet: outside the catalogue until a check of their exit sees it. A table of its own, because the
-- release before needs the address of each proxy.
create table waiting_proxies (
  exit_id uuid primary key references exits on delete cascade,
  price_micros price_micros not null,
  country_code country_code not null,
  region text not null,
  city text not null,
  zip text not null,
  isp text not null,
  asn bigint,
  connection_type text not null,
  port_rule text,
  tunnels_max integer,
  bytes_per_second_max integer,
  created_at timestamptz not null default now(),
  -- When a check saw an address that another proxy promises; it waits for another one.
  taken_at timestamptz
);

-- Lines of a checked file that will wait. Both releases apply them, by add_import_exits.
create table catalogue_import_waiting (
  import_id uuid not null references catalogue_imports on delete cascade,
  line integer not null,
  price_micros bigint not null,
  country_code text not null,
  region text not null,
  city text not null,
  zip text not null,
  isp text not null,
  -- Null and 0, as of the other rows: what the file does not say, and what is unknown. The same for the limits.
  asn bigint,
  connection_type text not null,
  node_id uuid not null,
  exit_kind exit_kind not null,
  exit_keys text[] not null,
  exit_parameters jsonb not null,
  credentials_encrypted bytea,
  credentials_hashes bytea[],
  port_rule text,
  tunnels_max integer,
  bytes_per_second_max integer,
  primary key (import_id, line)
);
