-- What the customer of a connection has set up for changes of its address.
create table connection_rotations (
  connection_id uuid primary key,
  -- Of the link that changes the address; both are null without one. The link itself is encrypted, because its owner sees it again.
  secret_hash bytea unique,
  secret_encrypted bytea,
  -- The timer; both are null without one.
  every_minutes integer check (every_minutes between 2 and 1440),
  next_at timestamptz,
  created_at timestamptz not null default now(),
  constraint connection_rotations_link check ((secret_hash is null) = (secret_encrypted is null))
);
-- For key rotation.
create index connection_rotations_in_order on connection_rotations (created_at, connection_id);
create index connection_rotations_due on connection_rotations (next_at) where next_at is not null;
