create table proxies (
  id uuid primary key default gen_random_uuid(),
  ip inet not null unique,
  -- US dollars for 100 MB. A multiple of 100 micro-dollars, so that one megabyte and fifty have exact prices.
  price_micros bigint not null check (price_micros > 0 and price_micros % 100 = 0),
  country_code text not null check (country_code ~ '^[A-Z]{2}$'),
  region text not null,
  city text not null,
  zip text not null,
  isp text not null,
  connection_type text not null,
  -- How its traffic leaves (contract/src/gateway.ts, exitSchema).
  exit jsonb not null,
  is_healthy boolean not null default true,
  -- The open connection that has it; null while it is for sale.
  connection_id uuid unique,
  created_at timestamptz not null default now()
) with (fillfactor = 80);

-- One partial index for each filter group: a search reads free proxies only, whatever the size of the catalogue.
create index proxies_free_country on proxies (country_code) where connection_id is null and is_healthy;
create index proxies_free_city on proxies (city) where connection_id is null and is_healthy;
create index proxies_free_region on proxies (region) where connection_id is null and is_healthy;
create index proxies_free_zip on proxies (zip) where connection_id is null and is_healthy;
create index proxies_free_isp on proxies (isp) where connection_id is null and is_healthy;
create index proxies_free_connection_type on proxies (connection_type) where connection_id is null and is_healthy;
