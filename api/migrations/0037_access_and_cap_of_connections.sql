alter table connections
  -- Who may use it: grows with each new password and each change of the allow-list.
  add column access_revision integer not null default 1,
  -- The revision that brought the present password.
  add column password_revision integer not null default 1,
  -- The connection ends when so much is used. Null: no cap.
  add column cap_megabytes bigint;
