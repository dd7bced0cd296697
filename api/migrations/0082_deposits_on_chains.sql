-- Where a deposit is on its chain. Chains reorganise: a block and the payments in it may leave the chain again.
alter table deposits
  add column block_height bigint,
  -- Null while it is in no block, and for deposits by hand.
  add column block_hash text,
  add column block_at timestamptz,
  -- What the payment itself demands, whatever its amount; such as 100 of a coinbase output.
  add column confirmations_min integer not null default 0,
  -- Its block has left the chain and no other contains it.
  add column orphaned_at timestamptz,
  -- Up to which height the chain was read when a credited deposit was first found in no block and not in the memory pool.
  add column missing_height bigint,
  -- Since then its credit is to be reversed.
  add column gone_at timestamptz,
  -- Why it is not credited until somebody releases it.
  add column hold text check (hold in ('LARGE', 'SOURCES_DISAGREE')),
  add column released_at timestamptz,
  add column reversed_at timestamptz,
  -- The part of the reversal that the balance could pay. The rest is a loss.
  add column reversed_micros bigint check (reversed_micros >= 0);

alter table deposits drop constraint deposits_state_check, drop constraint deposits_check;
alter table deposits
  add constraint deposits_known_state
    check (state in ('SEEN', 'INCLUDED', 'FINAL', 'CREDITED', 'ORPHANED', 'REPLACED', 'REVERSED')) not valid,
  -- A reversed deposit keeps what it was credited, as the ledger does.
  add constraint deposits_credit
    check ((state in ('CREDITED', 'REVERSED')) = (credited_at is not null and credited_micros is not null)) not valid,
  add constraint deposits_reversal
    check ((state = 'REVERSED') = (reversed_at is not null and reversed_micros is not null)) not valid;
