-- A search walks one of these in order of price and stops at the fiftieth match; the one without a column serves a
-- search without a filter.
drop index proxies_free_country, proxies_free_city, proxies_free_region, proxies_free_zip, proxies_free_isp,
           proxies_free_connection_type;
create index proxies_free_price on proxies (price_micros) where connection_id is null and is_healthy;
create index proxies_free_country on proxies (country_code, price_micros) where connection_id is null and is_healthy;
create index proxies_free_city on proxies (city, price_micros) where connection_id is null and is_healthy;
create index proxies_free_region on proxies (region, price_micros) where connection_id is null and is_healthy;
create index proxies_free_zip on proxies (zip, price_micros) where connection_id is null and is_healthy;
create index proxies_free_isp on proxies (isp, price_micros) where connection_id is null and is_healthy;
create index proxies_free_connection_type on proxies (connection_type, price_micros)
  where connection_id is null and is_healthy;

-- What a walk cannot decide (broad groups with hardly anything in common) is intersected in this one. The tags are
-- computed by the index itself, so no writer can forget them, and they are null for a proxy that is not free: a query
-- by tags names no other column, so that no other index can be chosen for it.
create function free_proxy_tags(connection_id uuid, is_healthy boolean, country_code text, city text, region text,
                                zip text, isp text, connection_type text)
  returns text[] language sql immutable parallel safe
  return case when connection_id is null and is_healthy
              then array['country:' || country_code, 'city:' || city, 'region:' || region, 'zip:' || zip,
                         'isp:' || isp, 'connectionType:' || connection_type] collate "C" end;
-- Without the list of pending entries: each search would read it through.
create index proxies_free_tags on proxies
  using gin (free_proxy_tags(connection_id, is_healthy, country_code, city, region, zip, isp, connection_type))
  with (fastupdate = off);

-- Of sold proxies alone: the nulls of a million free ones would be an index that looks useful to the planner and is not.
alter table proxies drop constraint proxies_connection_id_key;
create unique index proxies_sold_once on proxies (connection_id) where connection_id is not null;

-- Sales and returns leave dead entries at the cheap end of the indexes; a fifth of a million would be far too late.
alter table proxies set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

-- The one cached answer of GET /v1/proxies/filter, counted in the background.
create table proxy_counts (
  is_only boolean primary key default true check (is_only),
  -- The whole JSON body, as it is sent.
  body text not null,
  etag text not null,
  counted_at timestamptz not null default clock_timestamp(),
  -- How long the count took: the next one waits in proportion.
  took_ms integer not null
);
