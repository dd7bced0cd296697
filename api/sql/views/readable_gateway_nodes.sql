-- revision: 1
-- of: gateway
-- The gateways: those that are draining take no new purchases.
create or replace view readable_gateway_nodes as
select id, name, is_draining from gateway_nodes;
