-- The proxy's when it was bought: an open connection stays on the node that its customer was told. Null as in proxies.
alter table connections add column exit_id uuid references exits;
