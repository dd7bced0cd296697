-- revision: 2
-- of: gateway
-- Whether each exit works, by the checks of its node, and where they have seen it.
create or replace view exit_states as
select exit_id, health, checked_at, succeeded_at, latency_ms, reason, seen_address, seen_country, seen_asn, udp_works, ipv6_works,
       dns_works, resolver
  from exit_checks;
