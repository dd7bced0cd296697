-- Idempotency keys of the last changes of the password, the newest first: a repeated request changes nothing.
alter table connections add column password_keys text[] not null default '{}';
