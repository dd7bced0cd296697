-- The others are in the catalogue's own indexes.
create index concurrently proxies_not_free on proxies (ip) where connection_id is not null or not is_healthy;
