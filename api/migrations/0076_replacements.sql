-- Connections whose customers have asked for another proxy in their place: the transaction that closes one buys it. A connection that a
-- process of the release before closes is refunded, and its replacement is completed by one of this release.
create table replacements (
  connection_id uuid primary key references connections,
  requested_at timestamptz not null default now(),
  -- Null while the last report of the connection is awaited.
  finished_at timestamptz,
  -- Null: none was bought.
  new_connection_id uuid unique references connections,
  constraint replacements_finished check (new_connection_id is null or finished_at is not null)
);
create index replacements_by_time on replacements (requested_at);
create index replacements_open on replacements (requested_at) where finished_at is null;
