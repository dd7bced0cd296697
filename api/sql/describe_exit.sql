-- revision: 1
-- Keeps key and parameters of an exit and the columns of the release before equal, whichever release writes. A change of the hash of the
-- credentials changes the key with it.
create or replace function describe_exit() returns trigger language plpgsql as $$
declare
  has_other_hash boolean := tg_op = 'UPDATE' and new.credentials_hash is distinct from old.credentials_hash;
begin
  if new.key is null or (tg_op = 'UPDATE' and (new.address, new.upstream_host, new.upstream_port)
                                              is distinct from (old.address, old.upstream_host, old.upstream_port)) then
    -- Written by the release before, or filled in.
    new.key := old_exit_key(new.kind, new.address, new.upstream_host, new.upstream_port);
    new.parameters := old_exit_parameters(new.kind, new.address, new.upstream_host, new.upstream_port);
    has_other_hash := true;
  else
    -- What the release before reads.
    new.address := (new.parameters ->> 'address')::inet;
    new.upstream_host := new.parameters ->> 'host';
    new.upstream_port := (new.parameters ->> 'port')::integer;
  end if;
  if has_other_hash then
    new.key := split_part(new.key, '#', 1) || coalesce('#' || encode(new.credentials_hash, 'hex'), '');
    -- Two exits with equal credentials that were sealed with different keys: imports find the one that has the key already.
    if exists (select from exits where node_id = new.node_id and key = new.key and id <> new.id) then
      new.key := new.key || '#' || new.id;
    end if;
  end if;
  return new;
end $$;
