-- Counters of failed sign-ins and of sign-ups by address. Losing them in a crash is harmless, so no log is written.
-- `expire` is epoch milliseconds; a float, because the limiter calculates with plain numbers.
create unlogged table rate_limits (
  key text primary key,
  points integer not null,
  expire double precision
);
create index rate_limits_expire on rate_limits (expire);

-- Each row is one sending. All unused codes of a user work until they expire: the mail that was slow, and the one that
-- he asked for meanwhile. A recovery asked for an address without an account leaves a row too (no user, no mail), so
-- that the next request is answered with the same waiting time as for an address with one.
alter table mail_codes
  alter column user_id drop not null,
  -- A keyed hash: the table does not collect the addresses of strangers.
  add column email_hash bytea not null;
drop index mail_codes_newest;
create index mail_codes_sendings on mail_codes (email_hash, purpose, created_at desc);
create index mail_codes_user on mail_codes (user_id, purpose) where used_at is null;
create index mail_codes_created on mail_codes (created_at);
