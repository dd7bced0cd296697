-- revision: 1
-- of: billing, proxies
-- Which connection had which public address, and when. `until` is null while it has it.
create or replace view connection_addresses as
select id as connection_id, address, created_at as since, ended_at as until from connections where address is not null
 union all
-- Sold by the release before, and not filled in yet.
select connections.id, ip, connections.created_at, ended_at
  from connections join proxies on proxies.id = proxy_id where address is null;
