-- revision: 1
-- of: gateways
-- When a gateway process was heard of.
create or replace view readable_gateway_runs as
select id, node_id, started_at, seen_at from gateway_runs;
