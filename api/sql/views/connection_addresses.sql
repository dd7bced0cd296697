-- revision: 2
-- of: billing, gateway
-- Which connection had which public address, and when: the one that was sold, and those that the checks of its exit have seen, of which the
-- times are those of the checks. `until` is null while it has it.
create or replace view connection_addresses as
select id as connection_id, address, created_at as since, ended_at as until from connections where address is not null
 union all
select connections.id, seen.address, greatest(connections.created_at, since), least(ended_at, until)
  from exit_addresses as seen join connections on connections.exit_id = seen.exit_id
 where connections.created_at < coalesce(until, 'infinity') and (ended_at is null or ended_at > since);
