-- Of imported lines. Null: the file does not have the column, and the proxy keeps its limit. An empty text or 0: none of its own.
alter table catalogue_import_rows
  add column port_rule text,
  add column tunnels_max integer,
  add column bytes_per_second_max integer;
