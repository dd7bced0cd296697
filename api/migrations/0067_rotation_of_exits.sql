-- The link of a farm that changes the address of an exit, and how often it may. Null: the settings apply.
create table exit_rotations (
  exit_id uuid primary key references exits on delete cascade,
  -- JSON with method, URL and perhaps a header.
  link_encrypted bytea not null,
  cooldown_seconds integer,
  changes_per_hour integer,
  created_at timestamptz not null default now()
);
-- For key rotation.
create index exit_rotations_in_order on exit_rotations (created_at, exit_id);

-- The changes that customers have ordered. A node takes each order once, and checks of the exit decide what became of it.
create table exit_changes (
  id uuid primary key default gen_random_uuid(),
  exit_id uuid not null references exits on delete cascade,
  connection_id uuid not null,
  ordered_at timestamptz not null default now(),
  taken_at timestamptz,
  -- When the node called the link.
  called_at timestamptz,
  -- Null while another address is awaited.
  finished_at timestamptz,
  outcome text check (outcome in ('CHANGED', 'SAME_IP', 'FAILED')),
  reason text,
  -- As the echo saw them, also where they are not public.
  old_address inet,
  new_address inet,
  constraint exit_changes_end check ((finished_at is null) = (outcome is null))
);
-- Who orders a second one at the same time joins the first.
create unique index exit_changes_open on exit_changes (exit_id) where finished_at is null;
create index exit_changes_of_exit on exit_changes (exit_id, ordered_at);
create index exit_changes_of_connection on exit_changes (connection_id, ordered_at);
create index exit_changes_finished on exit_changes (finished_at) where finished_at is not null;
