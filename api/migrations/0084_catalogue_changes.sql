-- Bulk changes and imports of the catalogue that staff have ordered: a job applies each in one transaction, and reports its progress here.
create table catalogue_changes (
  id uuid primary key default gen_random_uuid(),
  kind text not null check (kind in ('PRICE', 'RETIRE', 'RESTORE', 'IMPORT')),
  -- Null: the operator at the command line.
  actor_id uuid references users,
  -- Where the request came from, for the audit log.
  requester jsonb,
  -- What to change: a selection, or the id of an import.
  request jsonb not null,
  row_count integer not null check (row_count >= 0),
  done_count integer not null default 0,
  -- Of an import.
  new_count integer,
  status text not null default 'WAITING' check (status in ('WAITING', 'RUNNING', 'DONE', 'REFUSED')),
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  check ((status in ('DONE', 'REFUSED')) = (ended_at is not null)),
  check (status <> 'DONE' or done_count = row_count)
);
create index catalogue_changes_newest on catalogue_changes (created_at desc, id);
-- A repeated request finds the change that it has already ordered.
create unique index catalogue_changes_once on catalogue_changes (coalesce(actor_id, '00000000-0000-0000-0000-000000000000'), kind, md5(request::text))
  where ended_at is null;
