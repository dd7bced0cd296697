-- The DNS ports that a node's customers are given. Nodes on different hosts have the same numbers.
create table node_dns_ports (
  node_id uuid not null references gateway_nodes,
  port integer not null,
  -- A purchase takes the port before it makes the connection.
  connection_id uuid unique references connections deferrable initially deferred,
  primary key (node_id, port)
);
create index node_dns_ports_free on node_dns_ports (node_id, port) where connection_id is null;
