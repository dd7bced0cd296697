-- revision: 1
-- Gives exits to proxies that were stored without one: a batch of them, in the order of their ids. While there is one node they are its;
-- where there are several, only the operator knows of which, and nothing happens.
-- Returns the last proxy of the batch; null if there was none. Proxies that are being sold are left for the next time.
create or replace function assign_exits(in after_id uuid, in proxies_max integer, out last_id uuid) language plpgsql as $$
declare
  only_node_id uuid;
  batch uuid[];
begin
  select (array_agg(id))[1] into only_node_id from gateway_nodes having count(*) = 1;
  if not found then
    return;
  end if;
  select array_agg(id order by id) into batch
    from (select id from proxies where id > after_id and exit_id is null
           order by id limit proxies_max for no key update skip locked) as locked;
  -- In one order, so that two of these do not wait for each other.
  insert into exits (node_id, kind, address)
  select distinct only_node_id, (exit ->> 'kind')::exit_kind as kind, (exit ->> 'address')::inet as address
    from proxies where id = any (batch) order by kind, address
      on conflict do nothing;
  update proxies set exit_id = exits.id
    from exits
   where proxies.id = any (batch) and exits.node_id = only_node_id and exits.kind = (exit ->> 'kind')::exit_kind
     and exits.address is not distinct from (exit ->> 'address')::inet;
  last_id := batch[cardinality(batch)];
end $$;
