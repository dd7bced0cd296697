-- revision: 1
-- Keeps the exit of an imported line and the columns of the release before equal, whichever release writes.
create or replace function describe_import_row() returns trigger language plpgsql as $$
declare
  address inet;
  wanted text;
begin
  if new.exit_keys is null then
    -- Written by the release before, which has the text of other proxies in this column, too.
    address := case when new.upstream_host is null then nullif(new.exit_address, '')::inet end;
    wanted := old_exit_key(new.exit_kind, address, new.upstream_host, new.upstream_port);
    new.exit_keys := coalesce((select array_agg(wanted || '#' || encode(hash, 'hex') order by place)
                                 from unnest(new.credentials_hashes) with ordinality as hashes (hash, place)), array[wanted]);
    new.exit_parameters := old_exit_parameters(new.exit_kind, address, new.upstream_host, new.upstream_port);
  else
    new.exit_address := coalesce(new.exit_parameters ->> 'address', '');
    new.upstream_host := new.exit_parameters ->> 'host';
    new.upstream_port := (new.exit_parameters ->> 'port')::integer;
  end if;
  return new;
end $$;
