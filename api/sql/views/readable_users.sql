-- revision: 2
-- of: users
-- What other modules may read of users. Passwords and second factors are for auth/ only.
create or replace view readable_users as
select id, email, language_code, status, role_name, referral_code, referrer_id, promo_code_id, account_id, email_confirmed_at, created_at,
       coalesce(person, person_of(email)) as person
  from users;
