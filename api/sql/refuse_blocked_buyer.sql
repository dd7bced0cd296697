-- revision: 1
-- Refuses purchases of blocked users, also by a request that was authenticated a moment before. Blocking locks the buyer's account, as a
-- purchase does: either the purchase comes first and ends with the others, or it fails here.
create or replace function refuse_blocked_buyer() returns trigger language plpgsql as $$
begin
  perform from users where id = new.user_id and status = 'ACTIVE';
  if not found then
    raise exception 'user % is not active', new.user_id using errcode = 'CHBLK';
  end if;
  return new;
end $$;
