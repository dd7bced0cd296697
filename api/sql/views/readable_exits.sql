-- revision: 2
-- of: gateway
-- How traffic leaves, of which node, and where customers reach that node. `key` is null in rows of the release before, until
-- fill_exits has filled it in.
create or replace view readable_exits as
select exits.id, node_id, kind, host(address) as address, public_host, public_port, name as node_name, is_draining,
       upstream_host, upstream_port, credentials_hash is not null as has_credentials, key,
       coalesce(parameters, old_exit_parameters(kind, exits.address, upstream_host, upstream_port)) as parameters
  from exits join gateway_nodes on gateway_nodes.id = node_id;
