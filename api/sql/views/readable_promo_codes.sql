-- revision: 1
-- of: referrals
-- Promo codes and their owners.
create or replace view readable_promo_codes as
select id, code, user_id from promo_codes;
