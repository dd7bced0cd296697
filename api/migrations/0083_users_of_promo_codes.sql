-- How many users have signed up with each code: a popular one has too many to be counted for each list.
alter table promo_codes add column registered_count integer not null default 0;

create function count_registered() returns trigger language plpgsql as $$
begin
  update promo_codes set registered_count = registered_count + 1 where id = new.promo_code_id;
  return null;
end $$;

create trigger users_counted after insert on users for each row when (new.promo_code_id is not null) execute function count_registered();

-- Sign-ups wait for the lock of the trigger until this is done: an index of the users with a code is read once.
update promo_codes set registered_count = users.count
  from (select promo_code_id, count(*)::int as count from users where promo_code_id is not null group by 1) as users
 where promo_code_id = promo_codes.id;
