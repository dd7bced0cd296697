-- The trial credits from before migration 0026. In a migration of its own, so that no table is locked while they are read: what is
-- written here blocks nobody. Of a person with several credits the first one counts.
insert into trial_credits (folded_email, user_id, promo_code_id, amount_micros, created_at)
select distinct on (folded_email(email)) folded_email(email), users.id, promo_code_id, amount_micros, transfers.created_at
  from users join transfers on idempotency_key = 'trial:' || users.id
 where promo_code_id is not null
 order by folded_email(email), transfers.id
on conflict do nothing;

update promo_codes set credit_count = given.count, credited_micros = given.micros
  from (select promo_code_id, count(*) as count, sum(amount_micros)::bigint as micros
          from users join transfers on idempotency_key = 'trial:' || users.id
         where promo_code_id is not null group by promo_code_id) as given
 where promo_codes.id = given.promo_code_id;
