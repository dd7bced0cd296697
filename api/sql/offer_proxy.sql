-- revision: 3
-- Decides whether a proxy is in the catalogue while it has no connection. The result is stored in is_healthy, the column of the
-- catalogue's indexes. Checks of its exit change is_exit_healthy later; the state of the exit is copied when the proxy gets the exit.
create or replace function offer_proxy() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or new.exit_id is distinct from old.exit_id then
    select gateway_nodes.is_draining, coalesce(exit_checks.health = 'HEALTHY', false) into new.is_node_draining, new.is_exit_healthy
      from exits join gateway_nodes on gateway_nodes.id = exits.node_id left join exit_checks on exit_checks.exit_id = exits.id
     where exits.id = new.exit_id;
  end if;
  -- An exit without proxies is hardly ever checked; now it has one (again).
  if new.retired_at is null and (tg_op = 'INSERT' or new.exit_id is distinct from old.exit_id or old.retired_at is not null) then
    update exit_checks set next_check_at = now() where exit_id = new.exit_id and next_check_at > now() + interval '10 minutes';
  end if;
  new.is_healthy := new.is_exit_healthy and new.retired_at is null and not new.is_node_draining and not new.is_over_budget;
  return new;
end $$;
