-- revision: 1
-- of: gateway
-- From which public address each exit left, and when.
create or replace view readable_exit_addresses as
select exit_id, address, since, until from exit_addresses;
