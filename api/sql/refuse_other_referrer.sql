-- revision: 1
-- A referrer exists before the referred user and never changes, so referral chains have no cycles.
create or replace function refuse_other_referrer() returns trigger language plpgsql as $$
begin
  raise exception 'a referrer cannot change';
end $$;
