-- revision: 2
-- A change of the hash of an exit's credentials changes its key.
create or replace function describe_exit() returns trigger language plpgsql as $$
begin
  new.key := split_part(new.key, '#', 1) || coalesce('#' || encode(new.credentials_hash, 'hex'), '');
  -- Two exits with equal credentials that were sealed with different keys: imports find the one that has the key already.
  if exists (select from exits where node_id = new.node_id and key = new.key and id <> new.id) then
    new.key := new.key || '#' || new.id;
  end if;
  return new;
end $$;
