-- What a connection had counted by the end of an hour. Cumulative like the counters it is taken from: an hour's traffic is
-- the difference to the row before, so a row written twice or a missed one loses nothing. The worker writes it once a
-- minute from `connections`; nothing is written where reports are settled. One row for each hour in which traffic passed.
create table traffic_hours (
  connection_id uuid not null references connections,
  hour timestamptz not null,
  used_bytes bigint not null,
  uploaded_bytes bigint not null,
  primary key (connection_id, hour),
  check (uploaded_bytes between 0 and used_bytes),
  check (hour = date_trunc('hour', hour, 'UTC'))
) with (fillfactor = 90);
