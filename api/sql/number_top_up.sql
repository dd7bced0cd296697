-- revision: 1
-- The receipt of a top-up: the next number, without gaps. At the end of the transaction, whoever credits, so that no credit waits for
-- another one with locked accounts. A payment that was taken back and is credited again keeps its number.
create or replace function number_top_up() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('top_up_receipts', 0));
  insert into top_up_receipts (number, deposit_id)
  select coalesce(max(number), 0) + 1, new.id from top_up_receipts
  on conflict (deposit_id) do nothing;
  return null;
end $$;
