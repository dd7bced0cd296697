-- revision: 4
-- of: gateway
-- How traffic leaves, of which node, and where customers reach that node.
create or replace view readable_exits as
select exits.id, node_id, kind, public_host, public_port, name as node_name, is_draining, credentials_hash is not null as has_credentials, key,
       parameters, certificate_names, certificate_ends_at
  from exits join gateway_nodes on gateway_nodes.id = node_id;
