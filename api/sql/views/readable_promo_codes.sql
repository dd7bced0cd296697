-- revision: 2
-- of: referrals
-- Promo codes and their owners.
create or replace view readable_promo_codes as
select id, code, user_id, trial_credit_micros, credits_max, budget_micros from promo_codes;
