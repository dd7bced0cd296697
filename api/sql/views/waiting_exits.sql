-- revision: 1
-- of: proxies
-- Exits of imported lines that wait until a check sees their address.
create or replace view waiting_exits as
select exit_id from waiting_proxies;
