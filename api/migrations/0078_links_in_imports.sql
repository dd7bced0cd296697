-- Lines of files that mean the proxy of their exit have no address, so rows are in the order of a number. The link that changes the address of
-- the exit is encrypted, as in exit_rotations. Null: it stays as it is.
alter table catalogue_import_rows
  drop constraint catalogue_import_rows_pkey,
  alter column ip drop not null,
  add column id bigint generated always as identity,
  add primary key (import_id, id),
  add unique (import_id, ip),
  add column rotation jsonb;
