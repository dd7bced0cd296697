-- Which key a recovery code was hashed with: it cannot be hashed anew without the code. Null: by a process of the version before.
alter table recovery_codes add column key_id text;

-- Where the re-sealing of stored secrets with the newest key stands, for each kind of row. It follows the rows in the order of their
-- creation, and goes on while there are older keys: what a process that still has the old setting adds is found too.
create table resealings (
  kind text primary key,
  -- Of the key that rows are sealed with now; another one begins anew.
  key_id text not null,
  -- Rows up to this one are done.
  row_created_at timestamptz not null default '-infinity',
  row_id uuid not null default '00000000-0000-0000-0000-000000000000',
  resealed_count bigint not null default 0,
  -- Rows that no key opens.
  unreadable_count bigint not null default 0,
  remaining_count bigint,
  updated_at timestamptz not null default now()
);

-- Every public key that receipts were ever signed with: a receipt can be checked after its key has gone from the setting.
create table receipt_keys (
  key_id text primary key,
  public_key bytea not null,
  created_at timestamptz not null default now()
);

-- A gateway's token of before, for a day after it was changed.
alter table gateway_nodes
  add column previous_token_hash bytea unique,
  add column previous_token_until timestamptz;
