alter table deposits
  -- Each reversal and its restoration have ledger keys of their own. Older processes leave it at 0, which means one.
  add column reversal_count integer not null default 0,
  -- Since then a reversed deposit is final again, and its credit is to be restored.
  add column returned_at timestamptz;
