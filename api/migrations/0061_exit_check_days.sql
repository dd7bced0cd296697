-- How many checks of exits there were on each day (UTC), and how many passed: what visitors are told of the last 30 days. A row per node and
-- day, written by the reports of the node.
create table exit_check_days (
  day date,
  node_id uuid references gateway_nodes,
  checks bigint not null,
  passed bigint not null,
  primary key (day, node_id)
) with (fillfactor = 50);
