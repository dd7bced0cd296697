-- revision: 3
-- of: proxies
-- Whether each proxy is sold, offered in the catalogue, and whether its exit works.
create or replace view proxy_states as
select id, country_code, connection_id, is_healthy as is_offered, is_exit_healthy, retired_at is not null as is_retired, exit_id, asn
  from proxies;
