create unique index concurrently promo_codes_idempotency on promo_codes (idempotency_key) where idempotency_key is not null;
-- The lists of staff: of all users, of one, and by the first characters of the code.
create index concurrently promo_codes_newest on promo_codes (created_at desc, id);
create index concurrently promo_codes_of_user on promo_codes (user_id, created_at desc, id);
create index concurrently promo_codes_by_code on promo_codes (code text_pattern_ops);
