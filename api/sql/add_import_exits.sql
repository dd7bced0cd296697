-- revision: 1
-- Adds the exits that a checked file of proxies names and that their nodes do not have yet.
create or replace function add_import_exits(in wanted_id uuid) returns void language sql as $$
  insert into exits (node_id, kind, address)
  select distinct node_id, exit_kind, nullif(exit_address, '')::inet as address
    from catalogue_import_rows where import_id = wanted_id
   order by node_id, exit_kind, address
      on conflict do nothing
$$;
