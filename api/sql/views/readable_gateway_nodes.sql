-- revision: 5
-- of: gateway
-- The gateways: those that are draining take no new purchases. Customers connect to the public address; null: as the settings say.
create or replace view readable_gateway_nodes as
select id, name, is_draining, public_host, public_port, failing_since, certificate_ends_at, certificate_ends_soon_at from gateway_nodes;
