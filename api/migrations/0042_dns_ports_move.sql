-- From the table for all nodes to the one node that they were of. Nobody may take a port meanwhile. From here until api/sql is applied, a
-- moment later, purchases get no DNS port; and the port of a connection that ends then is freed when the node is registered.
lock table dns_ports in exclusive mode;
insert into node_dns_ports (node_id, port, connection_id)
select gateway_nodes.id, dns_ports.port, dns_ports.connection_id
  from dns_ports cross join gateway_nodes where gateway_nodes.name = 'default';
delete from dns_ports;
