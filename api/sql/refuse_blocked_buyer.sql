-- revision: 1
-- Who is blocked buys nothing, whatever asked for it: a request that had been let in a moment before, or a process of the version
-- before. Blocking locks the buyer's account, as a purchase does: either the purchase comes first and is ended with the others, or it
-- finds the user blocked here.
create or replace function refuse_blocked_buyer() returns trigger language plpgsql as $$
begin
  perform from users where id = new.user_id and status = 'ACTIVE';
  if not found then
    raise exception 'user % is not active', new.user_id using errcode = 'CHBLK';
  end if;
  return new;
end $$;
