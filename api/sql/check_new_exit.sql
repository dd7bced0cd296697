-- revision: 1
-- Each exit is checked from its creation on, whichever release has created it.
create or replace function check_new_exit() returns trigger language plpgsql as $$
begin
  insert into exit_checks (exit_id, node_id) values (new.id, new.node_id);
  return null;
end $$;
