-- Of imported lines. Null: the file does not have the column, and the proxy keeps its number. 0: unknown.
alter table catalogue_import_rows add column asn bigint;
