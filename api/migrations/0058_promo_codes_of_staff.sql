alter table promo_codes
  -- Counts the changes by staff, so that nobody overwrites a change that they have not seen.
  add column version integer not null default 0,
  -- The author and their key: a repeated request creates no second code.
  add column idempotency_key text;
