-- revision: 1
-- of: referrals
-- Their names.
create or replace view readable_promo_codes as
select id, code, user_id from promo_codes;
