-- revision: 1
-- Saves what a batch of reports changes in one statement, because this is by far the most frequent write. A charge updates the megabytes in
-- the connection's row, and is a transfer from its payer to its escrow account and the next charge of its receipt (docs/receipts.md), all or
-- nothing. The arrays have one element per connection: its new totals, the megabytes to charge (`from` inclusive, `to` exclusive,
-- counted from 0), and the totals of the reporting run. `holds` are the changes of the holds of the accounts `holders`.
--
-- The caller has locked the payers' accounts, which guard their connections. The time of a charge
-- is the statement's, because the transaction may have started before another one that got the lock first.
-- Returns the number of updated rows of each kind. If there are fewer than given, the caller made a mistake and must roll back.
create or replace function charge_reports(
  in reporting_run_id uuid, in threshold_bytes bigint, in slot_ms double precision,
  in ids uuid[], in used bigint[], in uploaded bigint[], in granted bigint[],
  in megabytes_from bigint[], in megabytes_to bigint[],
  in run_used bigint[], in run_uploaded bigint[], in run_granted bigint[], in are_open boolean[],
  in holders bigint[], in holds bigint[],
  out connection_count integer, out run_count integer, out payer_count integer
) language plpgsql as $$
#variable_conflict use_column
begin
  with change as (
    select * from unnest(ids, used, uploaded, granted, megabytes_from, megabytes_to, run_used, run_uploaded, run_granted,
                       are_open)
                    as change (id, used_bytes, uploaded_bytes, granted_bytes, megabyte_from, megabyte_to,
                               run_used_bytes, run_uploaded_bytes, run_granted_bytes, is_run_open)
  ), counted as (
    update connection_runs
       set used_bytes = run_used_bytes, uploaded_bytes = run_uploaded_bytes, granted_bytes = run_granted_bytes,
           is_open = is_run_open
      from change where connection_id = change.id and run_id = reporting_run_id
    returning 1
  ), metered as (
    update connections
       set used_bytes = change.used_bytes, uploaded_bytes = change.uploaded_bytes,
           granted_bytes = change.granted_bytes, charged_megabytes = megabyte_to,
           synced_at = case when change.used_bytes > connections.used_bytes then now() else synced_at end,
           idle_marks = case when change.used_bytes - connections.used_bytes >= threshold_bytes
                             then array[(now(), change.used_bytes)::traffic_mark]
                             when change.used_bytes > connections.used_bytes
                             then slide_idle_window(idle_marks, (now(), change.used_bytes)::traffic_mark, threshold_bytes,
                                                    slot_ms * interval '1 millisecond')
                             else idle_marks end,
           escrow_micros = escrow_micros + (megabyte_to - megabyte_from) * megabyte_price(price_micros),
           charge_count = charge_count + case when megabyte_to > megabyte_from then 1 else 0 end,
           charge_hash = case when megabyte_to > megabyte_from
                              then charge_hash(charge_hash, connections.id, charge_count + 1,
                                               (select charge_time(statement_timestamp())), 'MEGABYTE',
                                               megabyte_from + 1, megabyte_to, change.uploaded_bytes,
                                               change.used_bytes - change.uploaded_bytes, megabyte_price(price_micros),
                                               (megabyte_to - megabyte_from) * megabyte_price(price_micros))
                              else charge_hash end
      from change where connections.id = change.id
    returning payer_account_id, escrow_account_id, megabyte_from, megabyte_to,
              (megabyte_to - megabyte_from) * megabyte_price(price_micros) as micros, change.uploaded_bytes,
              change.used_bytes - change.uploaded_bytes as downloaded_bytes, charge_hash
  ), posted as (
    insert into transfers (debit_account_id, credit_account_id, amount_micros, reason, megabyte_from, megabyte_to,
                           uploaded_bytes, downloaded_bytes, charge_hash, created_at)
    select payer_account_id, escrow_account_id, micros, 'MEGABYTE', megabyte_from, megabyte_to,
           uploaded_bytes, downloaded_bytes, charge_hash, statement_timestamp()
      from metered where megabyte_to > megabyte_from
  ), paid as (
    update accounts set balance_micros = balance_micros - spent.micros, held_micros = held_micros + spent.held
      from (select account_id, sum(micros)::bigint as micros, sum(held)::bigint as held
              from (select payer_account_id as account_id, micros, 0 as held from metered where micros > 0
                    union all
                    select account_id, 0, held from unnest(holders, holds) as hold (account_id, held)
                   ) as part
             group by account_id) as spent
     where accounts.id = spent.account_id
    returning 1
  )
  select (select count(*) from metered), (select count(*) from counted), (select count(*) from paid)
    into connection_count, run_count, payer_count;
end $$;
