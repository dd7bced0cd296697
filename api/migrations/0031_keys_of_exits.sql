-- An exit is a key that is unique at its node, parameters and credentials. The parameters are what its gateway gets beside id and kind. The key
-- is the text of the exit without its credentials; `#` and their keyed hash follow, because several exits may differ in credentials alone. Null
-- in rows of the release before, until a job has filled them in. A trigger keeps these columns and those of the release before equal.
--
-- Only the release before uses, so that the migration that contracts drops: address, upstream_host and upstream_port with their indexes
-- exits_once, exits_credentials_hash and exits_upstream_host, the functions old_exit_key, old_exit_parameters and fill_exits, and of
-- describe_exit all but the new key after a change of the hash; of catalogue_import_rows exit_address, upstream_host, upstream_port and the
-- trigger; of the views the columns with these names.
alter table exits
  add column key text,
  add column parameters jsonb,
  -- Other kinds have other parameters.
  drop constraint exits_upstream,
  add constraint exits_credentials check ((credentials_encrypted is null) = (credentials_hash is null));

create function old_exit_key(in kind exit_kind, in address inet, in host text, in port integer) returns text language sql stable as $$
  select kind || '://' || coalesce(case when host like '%:%' then '[' || host || ']' else host end || ':' || port, host(address), '')
$$;

create function old_exit_parameters(in kind exit_kind, in address inet, in host text, in port integer) returns jsonb
language sql stable as $$
  select case when kind = 'local-address' then jsonb_build_object('address', host(address))
              else jsonb_build_object('host', host, 'port', port) end
$$;

create function describe_exit() returns trigger language plpgsql as $$
declare
  has_other_hash boolean := tg_op = 'UPDATE' and new.credentials_hash is distinct from old.credentials_hash;
begin
  if new.key is null or (tg_op = 'UPDATE' and (new.address, new.upstream_host, new.upstream_port)
                                              is distinct from (old.address, old.upstream_host, old.upstream_port)) then
    -- Written by the release before, or filled in.
    new.key := old_exit_key(new.kind, new.address, new.upstream_host, new.upstream_port);
    new.parameters := old_exit_parameters(new.kind, new.address, new.upstream_host, new.upstream_port);
    has_other_hash := true;
  else
    -- What the release before reads.
    new.address := (new.parameters ->> 'address')::inet;
    new.upstream_host := new.parameters ->> 'host';
    new.upstream_port := (new.parameters ->> 'port')::integer;
  end if;
  if has_other_hash then
    new.key := split_part(new.key, '#', 1) || coalesce('#' || encode(new.credentials_hash, 'hex'), '');
    -- Two exits with equal credentials that were sealed with different keys: imports find the one that has the key already.
    if exists (select from exits where node_id = new.node_id and key = new.key and id <> new.id) then
      new.key := new.key || '#' || new.id;
    end if;
  end if;
  return new;
end $$;
create trigger exits_described before insert or update on exits for each row execute function describe_exit();
