-- contract: nothing since 0.4.0 uses exit_address, upstream_host and upstream_port of catalogue_import_rows, and describe_import_row
drop trigger import_rows_described on catalogue_import_rows;
drop function describe_import_row();
alter table catalogue_import_rows
  drop column exit_address,
  drop column upstream_host,
  drop column upstream_port,
  alter column exit_keys set not null,
  alter column exit_parameters set not null;
