-- How a chain is doing, beside up to where it was read.
alter table chain_cursors
  -- Which worker polls: the one that moves this time into the future.
  add column next_poll_at timestamptz not null default now(),
  -- Of the last poll that succeeded.
  add column polled_at timestamptz,
  add column head_height bigint,
  add column head_at timestamptz,
  add column safe_height bigint,
  add column finalized_height bigint,
  add column scanned_height bigint,
  -- Null while polls succeed.
  add column unavailable_since timestamptz,
  add column unavailable_reason text,
  add column unavailable_message text,
  add column failure_count integer not null default 0,
  -- Nothing is credited and no invoice is created until the operator resumes the chain.
  add column paused_at timestamptz,
  add column pause_reason text,
  -- Of the nightly comparison of addresses and deposits.
  add column compared_at timestamptz,
  add column differences text[] not null default '{}';
