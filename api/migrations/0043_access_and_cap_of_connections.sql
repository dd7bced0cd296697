alter table connections
  -- Increases with each change of the password or the allow-list.
  add column access_revision integer not null default 1,
  -- The revision of the current password.
  add column password_revision integer not null default 1,
  -- The connection ends when this traffic is used. Null: no cap.
  add column cap_megabytes bigint;
