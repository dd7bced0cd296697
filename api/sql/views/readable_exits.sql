-- revision: 3
-- of: gateway
-- How traffic leaves, of which node, and where customers reach that node.
create or replace view readable_exits as
select exits.id, node_id, kind, public_host, public_port, name as node_name, is_draining, credentials_hash is not null as has_credentials, key,
       parameters
  from exits join gateway_nodes on gateway_nodes.id = node_id;
