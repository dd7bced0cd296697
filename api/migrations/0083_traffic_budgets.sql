-- How many bytes an exit, or all exits of a node together, shall carry in a month (UTC).
create table traffic_budgets (
  id uuid primary key default gen_random_uuid(),
  exit_id uuid unique references exits on delete cascade,
  node_id uuid unique references gateway_nodes on delete cascade,
  bytes bigint not null check (bytes > 0),
  constraint traffic_budgets_of_one check (num_nonnulls(exit_id, node_id) = 1)
);
-- What each exit has carried, as the worker has counted it.
create table month_traffic (
  exit_id uuid not null,
  month date not null,
  used_bytes bigint not null,
  primary key (month, exit_id)
);
-- How much of each connection is counted.
create table counted_traffic (
  connection_id uuid primary key,
  used_bytes bigint not null
);
