-- The free proxies of each country by place, operator and connection type, as API processes load them to count under a filter.
-- Derived from the catalogue, so it needs no write-ahead log: after a crash it is empty and counted again.
create unlogged table proxy_facets (
  country_code text primary key,
  -- JSON: [[region, city, zip, [[isp, connection type, number of free proxies], ...]], ...]
  body text not null,
  -- A sum of hashes, so it does not depend on the order. 0 if the country has no free proxies any more.
  fingerprint numeric not null,
  -- Greater than all earlier ones when the body changes.
  version bigint not null
);
create index proxy_facets_version on proxy_facets (version);
create sequence proxy_facets_versions owned by proxy_facets.version;

-- When they were counted, and how long it took: the next count waits in proportion.
alter table proxy_counts add column facets_counted_at timestamptz, add column facets_took_ms integer;
