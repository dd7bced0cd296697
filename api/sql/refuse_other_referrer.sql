-- revision: 1
-- A referrer is there before his referral and is never exchanged, so no chain of referrers is a loop.
create or replace function refuse_other_referrer() returns trigger language plpgsql as $$
begin
  raise exception 'a referrer is for ever';
end $$;
