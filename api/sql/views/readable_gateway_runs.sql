-- revision: 2
-- of: gateway
-- When gateway processes were started and last seen, and what they can do.
create or replace view readable_gateway_runs as
select id, node_id, started_at, seen_at, contract_version from gateway_runs;
