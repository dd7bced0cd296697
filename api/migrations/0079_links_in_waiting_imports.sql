-- As in catalogue_import_rows.
alter table catalogue_import_waiting add column rotation jsonb;
