-- Why a proxy is not offered. Its column is_healthy, which the catalogue's indexes use, is true while none of these applies.
alter table proxies
  add column is_exit_healthy boolean not null default true,
  add column retired_at timestamptz,
  add column is_node_draining boolean not null default false;

create function offer_proxy() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    new.is_exit_healthy := new.is_exit_healthy and new.is_healthy;
  end if;
  if tg_op = 'INSERT' or new.exit_id is distinct from old.exit_id then
    select gateway_nodes.is_draining into new.is_node_draining
      from exits join gateway_nodes on gateway_nodes.id = node_id where exits.id = new.exit_id;
    new.is_node_draining := coalesce(new.is_node_draining, false);
  end if;
  new.is_healthy := new.is_exit_healthy and new.retired_at is null and not new.is_node_draining;
  return new;
end $$;

-- Not when it is sold or returned.
create trigger proxies_offered before insert or update of is_exit_healthy, retired_at, is_node_draining, exit_id on proxies
  for each row execute function offer_proxy();
