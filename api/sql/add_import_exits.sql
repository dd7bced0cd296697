-- revision: 5
-- Adds the exits that a checked file of proxies names and that their nodes do not have yet, their links for changes of the address, and the proxies
-- that wait for theirs.
-- Call it under the lock of the inventory.
create or replace function add_import_exits(in wanted_id uuid) returns void language sql as $$
  insert into exits (node_id, kind, key, parameters, credentials_encrypted, credentials_hash)
  select distinct on (node_id, exit_keys[1])
         node_id, exit_kind, exit_keys[1], exit_parameters, credentials_encrypted, credentials_hashes[1]
    from (select node_id, exit_kind, exit_keys, exit_parameters, credentials_encrypted, credentials_hashes, host(ip) as place
            from catalogue_import_rows where import_id = wanted_id and kept_exit_id is null
           union all
          select node_id, exit_kind, exit_keys, exit_parameters, credentials_encrypted, credentials_hashes, line::text
            from catalogue_import_waiting where import_id = wanted_id) as file
   where not exists (select from exits where exits.node_id = file.node_id and exits.key = any (file.exit_keys))
   order by node_id, exit_keys[1], place
      on conflict (node_id, key) where key is not null do nothing;

  insert into waiting_proxies as waiting (exit_id, price_micros, country_code, region, city, zip, isp, asn, connection_type,
                                          port_rule, tunnels_max, bytes_per_second_max)
  select distinct on (exits.id)
         exits.id, price_micros, country_code, region, city, zip, isp, asn, connection_type, port_rule, tunnels_max, bytes_per_second_max
    from catalogue_import_waiting as file
    join exits on exits.node_id = file.node_id and exits.key = any (file.exit_keys)
   where import_id = wanted_id and not exists (select from proxies where proxies.exit_id = exits.id)
   order by exits.id, line
      on conflict (exit_id) do update
     set price_micros = excluded.price_micros, country_code = excluded.country_code, region = excluded.region, city = excluded.city,
         zip = excluded.zip, isp = excluded.isp, connection_type = excluded.connection_type,
         -- Null: the file does not say it.
         asn = coalesce(excluded.asn, waiting.asn), port_rule = coalesce(excluded.port_rule, waiting.port_rule),
         tunnels_max = coalesce(excluded.tunnels_max, waiting.tunnels_max),
         bytes_per_second_max = coalesce(excluded.bytes_per_second_max, waiting.bytes_per_second_max);

  with lines as (
    select node_id, exit_keys, kept_exit_id, rotation from catalogue_import_rows where import_id = wanted_id and rotation is not null
     union all
    select node_id, exit_keys, null, rotation from catalogue_import_waiting where import_id = wanted_id and rotation is not null
  ), changed as materialized (
    select kept_exit_id as exit_id, rotation from lines where kept_exit_id is not null
     union all
    select exits.id, rotation from lines join exits on exits.node_id = lines.node_id and exits.key = any (lines.exit_keys)
     where kept_exit_id is null
  ), removed as (
    delete from exit_rotations using changed where exit_rotations.exit_id = changed.exit_id and rotation ->> 'link' is null
  )
  insert into exit_rotations (exit_id, link_encrypted, cooldown_seconds, changes_per_hour)
  select distinct on (exit_id) exit_id, (rotation ->> 'link')::bytea, (rotation ->> 'cooldownSeconds')::integer, (rotation ->> 'changesPerHour')::integer
    from changed where rotation ->> 'link' is not null order by exit_id
      on conflict (exit_id) do update
     set link_encrypted = excluded.link_encrypted, cooldown_seconds = excluded.cooldown_seconds, changes_per_hour = excluded.changes_per_hour,
         -- Key rotation goes on by this time, and the file may be encrypted with an older key.
         created_at = excluded.created_at;

  -- An exit without proxies is hardly ever checked.
  update exit_checks set next_check_at = now()
    from catalogue_import_waiting as file join exits on exits.node_id = file.node_id and exits.key = any (file.exit_keys)
   where import_id = wanted_id and exit_checks.exit_id = exits.id and next_check_at > now();
  delete from catalogue_import_waiting where import_id = wanted_id
$$;
