-- A numbered receipt of each credited top-up. A deposit that is worth less than a micro-dollar has none.
create table top_up_receipts (
  -- Without gaps, in the order of the credits.
  number integer primary key,
  deposit_id uuid not null unique references deposits
);
