-- What the sources of exchange rates said, and what became of it.
create table rate_quotes (
  id bigint generated always as identity primary key,
  source text not null,
  asset text not null,
  -- US dollars for one coin, times 10^12.
  rate_e12 numeric(78, 0) not null,
  -- By the clock of the source, or of this program if the source has none.
  quoted_at timestamptz not null,
  fetched_at timestamptz not null default now(),
  -- Null: it was used.
  rejection text
);
create index rate_quotes_fetched on rate_quotes (fetched_at);
create index rate_quotes_of_asset on rate_quotes (asset, fetched_at desc);

-- The rates that the policy accepted.
create table exchange_rates (
  asset text not null,
  accepted_at timestamptz not null default now(),
  rate_e12 numeric(78, 0) not null check (rate_e12 > 0),
  -- How many sources agreed; large invoices need more.
  source_count integer not null,
  primary key (asset, accepted_at)
);
create index exchange_rates_old on exchange_rates (accepted_at);

-- The last attempt per source: a failing one is shown to staff.
create table rate_sources (
  source text primary key,
  next_fetch_at timestamptz not null default now(),
  succeeded_at timestamptz,
  failing_since timestamptz,
  failure text
);
