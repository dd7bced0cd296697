-- Sweeps that `npm run payments -- broadcast` was given to send. The daily comparison reads what left an address, which would otherwise hide
-- a payment that was missed before.
create table sweeps (
  chain text not null,
  transaction_id text not null,
  asset text not null,
  address_id bigint not null references deposit_addresses,
  units numeric(78, 0) not null check (units >= 0),
  -- The signed transaction, which is public once it is sent. It says what to look for.
  raw text not null,
  sent_at timestamptz not null default now(),
  -- Null: a comparison has not found it in a final block yet.
  height bigint,
  -- False: in its block it moved nothing and paid its fee. Null until it has a block.
  is_successful boolean check ((is_successful is null) = (height is null)),
  primary key (chain, transaction_id)
);
create index sweeps_by_address on sweeps (chain, address_id);
