-- What the check of the money found when it last ran, and up to where everything has been verified once. One row.
create table reconciliation (
  is_only boolean primary key default true check (is_only),
  -- When a worker last took the job: the others leave it alone for the interval.
  claimed_at timestamptz,
  checked_at timestamptz,
  duration_ms double precision,
  violation_count integer not null default 0,
  -- The first hundred, as sentences.
  violations text[] not null default '{}',
  -- Everything up to here was right when it was verified: transfers and ended connections do not change any more.
  verified_transfer_id bigint not null default 0,
  verified_until timestamptz not null default to_timestamp(0),
  -- When all of it, from the first transfer on, was last looked at.
  verified_whole_at timestamptz,
  check (checked_at is not null or violation_count = 0)
);
insert into reconciliation default values;

-- Sums of the entries up to `verified_transfer_id`, of accounts where they are not zero.
create table verified_sums (
  account_id bigint primary key references accounts,
  micros bigint not null
);

-- For looking at what has ended, or was credited, since the last check.
create index connections_ended on connections (ended_at) where ended_at is not null;
create index deposits_credited on deposits (credited_at) where credited_at is not null;
