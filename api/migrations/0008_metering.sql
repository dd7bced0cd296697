-- Of the used bytes, those that went from the client to its destinations. What was counted before this migration
-- counts as downloaded: nobody knows its direction.
alter table connections
  add column uploaded_bytes bigint not null default 0,
  add constraint uploaded_is_used check (uploaded_bytes between 0 and used_bytes);
alter table connection_runs
  add column uploaded_bytes bigint not null default 0,
  add constraint uploaded_is_used check (uploaded_bytes between 0 and used_bytes);
