-- revision: 1
-- After the database's clock was set back, what is due later than any pause or lease allows is due now, and no age is negative: otherwise
-- checks, polls and the ends of silent runs would wait as long as the step was.
create or replace function correct_future_times() returns void language plpgsql as $$
declare
  -- Other transactions may have begun a moment later.
  soon constant timestamptz := now() + interval '10 seconds';
begin
  -- The longest pause of a check is 15 minutes. A last check in the future is shown as an old one until the next.
  update exit_checks
     set next_check_at = now(), failing_since = least(failing_since, now()), requested_at = least(requested_at, now()),
         checked_at = case when checked_at > soon then now() - interval '1 hour' else checked_at end
   where next_check_at > now() + interval '16 minutes' or checked_at > soon or failing_since > soon or requested_at > soon;
  -- A chain that fails is polled every 5 minutes.
  update chain_cursors set next_poll_at = now() where next_poll_at > now() + interval '6 minutes' or polled_at > soon;
  update rate_sources set next_fetch_at = now(), failing_since = least(failing_since, now())
   where next_fetch_at > now() + interval '6 minutes' or succeeded_at > soon and next_fetch_at > soon;
  update reconciliation set claimed_at = null, leased_until = null
   where claimed_at > soon or leased_until > now() + interval '2 minutes';
  -- A run that lives is seen again within seconds; the silence of another one begins now.
  update gateway_runs set seen_at = now() where seen_at > soon;
  update listening set since = least(since, now()), seen_at = now() where seen_at > soon or since > soon;
end $$;
