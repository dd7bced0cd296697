-- Where a session was used last. Those that are open when this is applied get it with their next refresh.
alter table sessions
  add column ip inet,
  -- Browser and system, as far as the User-Agent tells.
  add column device text not null default 'Unknown device';

-- From where a user has signed in before. A sign-in from anywhere else is told to him by mail.
create table known_devices (
  user_id uuid not null references users,
  device text not null,
  -- The /24 of an IPv4 address, the /48 of an IPv6 one.
  network cidr not null,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  primary key (user_id, device, network)
);

-- Since when two-factor sign-in is in force; null while it is off. In this row, so that a sign-in which waits for its lock
-- sees the change.
alter table users add column second_factor_at timestamptz;

-- A secret that was set up; in force when the user's row says so.
create table second_factors (
  user_id uuid primary key references users,
  -- Needed in clear to compare codes, so it is encrypted and not hashed.
  secret_encrypted bytea not null,
  created_at timestamptz not null default now(),
  -- The time step of the newest code that was taken: neither it nor an older one is taken again.
  last_step bigint not null default 0
);

create table recovery_codes (
  user_id uuid not null references second_factors on delete cascade,
  -- A keyed hash.
  code_hash bytea not null,
  used_at timestamptz,
  primary key (user_id, code_hash)
);

-- Who did what to whom, from where. General, so that what staff will do is told in it too.
create table audit_log (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default clock_timestamp(),
  -- Null: somebody who has not shown who he is, or the operator at the command line.
  actor_id uuid references users,
  action text not null,
  -- What it was done to; null where nobody knows, as for a sign-in to an account that does not exist.
  subject_type text check (subject_type in ('USER')),
  subject_id uuid,
  ip inet,
  device text,
  request_id text,
  details jsonb not null default '{}',
  check ((subject_type is null) = (subject_id is null))
);
create index audit_log_subject on audit_log (subject_type, subject_id, id desc) where subject_id is not null;
create index audit_log_actor on audit_log (actor_id, id desc) where actor_id is not null;
create index audit_log_created on audit_log (created_at);

create trigger audit_log_append_only before update on audit_log
  for each row execute function refuse_change();
-- What has been kept for a year may go: it is about people.
create trigger audit_log_kept before delete on audit_log
  for each row when (old.created_at > now() - interval '365 days') execute function refuse_change();
create trigger audit_log_not_truncated before truncate on audit_log
  for each statement execute function refuse_change();
