-- What 1,024 MB through an exit, or through any exit of a node, cost the operator.
create table traffic_costs (
  id uuid primary key default gen_random_uuid(),
  exit_id uuid unique references exits on delete cascade,
  node_id uuid unique references gateway_nodes on delete cascade,
  micros_per_gigabyte bigint not null check (micros_per_gigabyte >= 0),
  constraint traffic_costs_of_one check (num_nonnulls(exit_id, node_id) = 1)
);
