-- revision: 2
-- Adds the exits that a checked file of proxies names and that their nodes do not have yet. Call it under the lock of the inventory.
create or replace function add_import_exits(in wanted_id uuid) returns void language sql as $$
  update exits set key = null where key is null;
  insert into exits (node_id, kind, key, parameters, credentials_encrypted, credentials_hash)
  select distinct on (node_id, exit_keys[1])
         node_id, exit_kind, exit_keys[1], exit_parameters, credentials_encrypted, credentials_hashes[1]
    from catalogue_import_rows as file
   where import_id = wanted_id and kept_exit_id is null
     and not exists (select from exits where exits.node_id = file.node_id and exits.key = any (file.exit_keys))
   order by node_id, exit_keys[1], ip
      on conflict (node_id, key) where key is not null do nothing
$$;
