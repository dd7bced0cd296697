-- revision: 1
-- Counts the users who have signed up with a promo code.
create or replace function count_registered() returns trigger language plpgsql as $$
begin
  update promo_codes set registered_count = registered_count + 1 where id = new.promo_code_id;
  return null;
end $$;
