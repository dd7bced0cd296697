-- Connections that the system has ended and whose users have not been mailed about it.
create table unmailed_ends (
  connection_id uuid primary key references connections,
  user_id uuid not null references users,
  reason text not null,
  refund_micros bigint not null,
  ended_at timestamptz not null default clock_timestamp()
);
create index unmailed_ends_of_user on unmailed_ends (user_id, reason);

-- When a user was last mailed about ends for a reason, because there is a minimum interval. Deleted after it.
create table end_mails (
  user_id uuid references users,
  reason text,
  mailed_at timestamptz not null,
  primary key (user_id, reason)
);
create index end_mails_by_time on end_mails (mailed_at);
