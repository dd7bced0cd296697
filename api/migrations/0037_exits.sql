create type exit_kind as enum ('local-address');

-- How traffic leaves. An exit belongs to one gateway node for good: customers were told where to reach it.
create table exits (
  id uuid primary key default gen_random_uuid(),
  node_id uuid not null references gateway_nodes,
  kind exit_kind not null,
  -- Of the kind local-address: an address of the node's host, or null for its own route.
  address inet,
  created_at timestamptz not null default now(),
  constraint exits_local_address check (address is null or (kind = 'local-address' and address = host(address)::inet))
);
-- However many proxies leave the same way, it is one exit, which its node opens once.
create unique index exits_once on exits (node_id, address) nulls not distinct where kind = 'local-address';
create trigger exits_stay before update of id, node_id, kind on exits for each row
  when (row(old.id, old.node_id, old.kind) is distinct from row(new.id, new.node_id, new.kind))
  execute function refuse_change();
