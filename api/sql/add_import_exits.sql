-- revision: 1
-- Adds the exits that a checked file of proxies names and that their nodes do not have yet. Call it under the lock of the inventory: no index
-- keeps upstream proxies unique, because their hashes depend on the key.
create or replace function add_import_exits(in wanted_id uuid) returns void language sql as $$
  insert into exits (node_id, kind, address)
  select distinct node_id, exit_kind, nullif(exit_address, '')::inet as address
    from catalogue_import_rows where import_id = wanted_id and exit_kind = 'local-address'
   order by node_id, exit_kind, address
      on conflict do nothing;
  insert into exits (node_id, kind, upstream_host, upstream_port, credentials_encrypted, credentials_hash)
  select distinct on (node_id, exit_kind, upstream_host, upstream_port, credentials_hashes[1])
         node_id, exit_kind, upstream_host, upstream_port, credentials_encrypted, credentials_hashes[1]
    from catalogue_import_rows as file
   where import_id = wanted_id and exit_kind <> 'local-address' and kept_exit_id is null
     and not exists (
       select from exits
        where exits.credentials_hash = any (file.credentials_hashes) and exits.upstream_host = file.upstream_host
          and exits.upstream_port = file.upstream_port and exits.node_id = file.node_id and exits.kind = file.exit_kind)
     and (file.credentials_hashes is not null or not exists (
       select from exits
        where exits.upstream_host = file.upstream_host and exits.upstream_port = file.upstream_port and exits.credentials_hash is null
          and exits.node_id = file.node_id and exits.kind = file.exit_kind))
   order by node_id, exit_kind, upstream_host, upstream_port, credentials_hashes[1], ip
$$;
