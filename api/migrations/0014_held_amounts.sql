-- What addresses held at the last comparison with their deposits: after a sweep, only a rise shows a payment that was missed.
create table held_amounts (
  chain text not null,
  asset text not null,
  address_id bigint not null references deposit_addresses,
  -- The block of the comparison; all amounts are those after it.
  height bigint not null,
  held_units numeric(78, 0) not null check (held_units >= 0),
  -- The sums of its deposits that are in a block, and of those that staff recorded by hand.
  deposit_units numeric(78, 0) not null,
  by_hand_units numeric(78, 0) not null,
  -- What has arrived and neither a deposit nor staff explain.
  unexplained_units numeric(78, 0) not null check (unexplained_units >= 0),
  -- It arrived after this block. Null: before the first comparison, or nothing did.
  unexplained_after bigint,
  primary key (chain, asset, address_id)
);
create index held_amounts_unexplained on held_amounts (chain) where unexplained_units > 0;

-- The daily comparison of each currency, which continues where it ended.
create table comparisons (
  chain text not null,
  asset text not null,
  started_at timestamptz not null,
  -- The last address that was compared.
  after_id bigint not null default 0,
  finished_at timestamptz,
  -- The lowest block of this run so far, and that of the run before: addresses without held amounts had none then.
  height bigint,
  previous_height bigint,
  primary key (chain, asset)
);
