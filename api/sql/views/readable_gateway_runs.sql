-- revision: 1
-- of: gateway
-- When gateway processes were started and last seen.
create or replace view readable_gateway_runs as
select id, node_id, started_at, seen_at from gateway_runs;
