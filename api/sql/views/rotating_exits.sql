-- revision: 1
-- of: rotation
-- Exits whose change of the address is awaited.
create or replace view rotating_exits as
select exit_id from exit_changes where finished_at is null;
