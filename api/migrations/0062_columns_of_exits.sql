-- contract: nothing since 0.4.0 uses exits.address, exits.upstream_host, exits.upstream_port, old_exit_key and old_exit_parameters
-- An exit is its key and its parameters. A trigger of 0.4.0 has written them for what 0.3.0 imported; this fills in what no job has yet.
update exits set key = null where key is null;

drop view if exists readable_exits, exit_credentials;
drop function old_exit_key(exit_kind, inet, text, integer), old_exit_parameters(exit_kind, inet, text, integer);
alter table exits
  drop column address,
  drop column upstream_host,
  drop column upstream_port,
  alter column key set not null,
  alter column parameters set not null;
drop index exits_credentials_hash;

create or replace function describe_exit() returns trigger language plpgsql as $$
begin
  new.key := split_part(new.key, '#', 1) || coalesce('#' || encode(new.credentials_hash, 'hex'), '');
  -- Two exits with equal credentials that were sealed with different keys: imports find the one that has the key already.
  if exists (select from exits where node_id = new.node_id and key = new.key and id <> new.id) then
    new.key := new.key || '#' || new.id;
  end if;
  return new;
end $$;
drop trigger exits_described on exits;
create trigger exits_described before update of credentials_hash on exits
  for each row when (old.credentials_hash is distinct from new.credentials_hash) execute function describe_exit();

create view readable_exits as
select exits.id, node_id, kind, public_host, public_port, name as node_name, is_draining, credentials_hash is not null as has_credentials, key,
       parameters
  from exits join gateway_nodes on gateway_nodes.id = node_id;

create view exit_credentials as
select id, credentials_encrypted, credentials_hash, created_at
  from exits where credentials_encrypted is not null;
