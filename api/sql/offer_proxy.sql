-- revision: 1
-- Decides whether a proxy is in the catalogue while it has no connection. The result is stored in is_healthy, the column of the
-- catalogue's indexes.
create or replace function offer_proxy() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or new.exit_id is distinct from old.exit_id then
    select gateway_nodes.is_draining into new.is_node_draining
      from exits join gateway_nodes on gateway_nodes.id = node_id where exits.id = new.exit_id;
  end if;
  new.is_healthy := new.is_exit_healthy and new.retired_at is null and not new.is_node_draining;
  return new;
end $$;
