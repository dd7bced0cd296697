-- Whether each exit works: the outcomes of the checks that its node makes through it. A table of its own, because 10,000 exits are some 170
-- updates a second: no index contains a column that a check changes, and half of each page is free for the next version of its rows.

create type exit_health as enum ('UNCHECKED', 'HEALTHY', 'UNHEALTHY');

create table exit_checks (
  exit_id uuid primary key references exits on delete cascade,
  -- The exit's, which never changes.
  node_id uuid not null references gateway_nodes,
  -- Only proxies of healthy exits are for sale.
  health exit_health not null default 'UNCHECKED',
  -- Of the health. Its proxies are compared with it for a while, because some may be added meanwhile.
  changed_at timestamptz not null default now(),
  checked_at timestamptz,
  -- The last success, and the latency that it measured.
  succeeded_at timestamptz,
  latency_ms integer,
  -- Why the last check did not succeed; null after a success.
  reason text,
  -- The public address that the echo saw at the last success; null if it was not public.
  seen_address inet,
  -- In a row.
  successes integer not null default 0,
  failures integer not null default 0,
  failing_since timestamptz,
  -- While a run of the node checks the exit, when the check counts as lost.
  next_check_at timestamptz not null default now(),
  -- Staff wait for the outcome.
  is_requested boolean not null default false
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.1);
create index exit_checks_of_node on exit_checks (node_id);

create function check_new_exit() returns trigger language plpgsql as $$
begin
  insert into exit_checks (exit_id, node_id) values (new.id, new.node_id);
  return null;
end $$;
create trigger exits_are_checked after insert on exits for each row execute function check_new_exit();

-- Exits that are on sale stay so until their first checks have failed: a node of the release before makes none.
insert into exit_checks (exit_id, node_id, health) select id, node_id, 'HEALTHY' from exits;
