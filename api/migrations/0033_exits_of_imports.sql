-- The keys that an imported exit may have, by each key of SECRET_KEY, and its parameters. Either release applies the file of the other one.
alter table catalogue_import_rows
  add column exit_keys text[],
  add column exit_parameters jsonb;

create function describe_import_row() returns trigger language plpgsql as $$
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
-- Files that are checked and not applied yet are few; the trigger fills them in.
create trigger import_rows_described before insert or update of exit_keys on catalogue_import_rows
  for each row execute function describe_import_row();
update catalogue_import_rows set exit_keys = null;
