-- Credits of the previous release get a number, too. Existing top-ups are numbered while others go on; then the trigger waits for running
-- credits, and those that came meanwhile are numbered before new ones.
create function number_top_up() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('top_up_receipts', 0));
  insert into top_up_receipts (number, deposit_id)
  select coalesce(max(number), 0) + 1, new.id from top_up_receipts
  on conflict (deposit_id) do nothing;
  return null;
end $$;
insert into top_up_receipts (number, deposit_id)
select row_number() over (order by credited_at, id), id from deposits where credited_micros > 0;
create constraint trigger deposits_receipted after insert or update of credited_micros on deposits
  deferrable initially deferred
  for each row when (new.credited_micros > 0) execute function number_top_up();
insert into top_up_receipts (number, deposit_id)
select (select coalesce(max(number), 0) from top_up_receipts) + row_number() over (order by credited_at, id), id
  from deposits
 where credited_micros > 0 and not exists (select from top_up_receipts where deposit_id = deposits.id);
