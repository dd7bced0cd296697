-- revision: 1
-- of: gateway
-- Whether each exit works, by the checks of its node.
create or replace view exit_states as
select exit_id, health, checked_at, succeeded_at, latency_ms, reason, seen_address from exit_checks;
