-- A repeated idempotency key with another body is refused. Null: of the release before, or without a key.
alter table staff_requests add column body_hash bytea;
