-- What customers chose about alerts; without a row the defaults apply.
create table alert_settings (
  user_id uuid primary key references users,
  -- Null: the default threshold. 0: no alert.
  low_balance_micros bigint check (low_balance_micros >= 0),
  is_mailed boolean not null default true
);

-- Traffic caps that their users were warned about. Deleted after the end of the connection.
create table cap_warnings (
  connection_id uuid primary key references connections,
  cap_megabytes bigint not null
);
