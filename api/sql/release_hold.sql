-- revision: 1
-- Releases money held for grants. The caller has locked the account. Returns false if there is no such account.
create or replace function release_hold(holder_id bigint, micros bigint) returns boolean language plpgsql as $$
begin
  update accounts set held_micros = held_micros - release_hold.micros where id = holder_id;
  return found;
end $$;
