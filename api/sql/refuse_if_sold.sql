-- revision: 1
-- Refuses to delete a proxy that was ever sold, because its connections reference it. Unsold proxies may be deleted.
create or replace function refuse_if_sold() returns trigger language plpgsql as $$
begin
  -- A purchase locks the proxy first, so it has either finished here or will not find the proxy.
  if exists (select from connections where proxy_id = old.id) then
    raise exception 'proxy % was sold and cannot be deleted', old.id;
  end if;
  return old;
end $$;
