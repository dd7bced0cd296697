-- revision: 1
-- A proxy that nobody has bought may go; one that was sold is named by its connections for ever.
create or replace function refuse_if_sold() returns trigger language plpgsql as $$
begin
  -- A purchase locks the proxy first, so it is either finished here or finds the proxy gone.
  if exists (select from connections where proxy_id = old.id) then
    raise exception 'proxy % was sold and stays', old.id;
  end if;
  return old;
end $$;
