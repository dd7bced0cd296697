-- The checks of each exit on each day (UTC), without those that gave no verdict: what staff see of the last 30 days. A row per exit and day.
create table exit_history (
  exit_id uuid references exits on delete cascade,
  day date,
  checks integer not null,
  failed integer not null,
  -- Of the checks that succeeded.
  latency_ms_sum bigint not null,
  -- How often the exit has stopped working.
  outages integer not null,
  last_failed_at timestamptz,
  last_failure text,
  primary key (exit_id, day)
) with (fillfactor = 50);
create index exit_history_by_day on exit_history (day);
