-- A repeated idempotency key with another body is refused. Null: of the release before, or without a key.
alter table promo_codes add column body_hash bytea;
