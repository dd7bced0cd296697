alter table broadcasts
  -- Null: active users, confirmed users, any role, any balance.
  add column status text check (status in ('ACTIVE', 'BLOCKED')),
  add column is_confirmed boolean,
  add column role_name text,
  add column balance_from_micros bigint,
  add column balance_below_micros bigint,
  -- How many users matched when it was sent, counted up to a limit; null: not counted.
  add column recipient_count integer,
  -- The last recipient, in the order of their ids: where the delivery continues after an interruption.
  add column delivered_until uuid;
