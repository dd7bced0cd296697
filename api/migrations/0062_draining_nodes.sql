alter table gateway_nodes
  -- Takes no new purchases; its open connections go on.
  add column is_draining boolean not null default false,
  -- Counts the changes by staff, so that nobody overwrites a change that they have not seen.
  add column version integer not null default 0;

-- What a gateway process says about itself, about once a minute. Null: it is older than this migration.
alter table gateway_runs
  add column software_version text,
  add column tunnels integer,
  add column bytes_per_second bigint,
  add column reported_at timestamptz;
