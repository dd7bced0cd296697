-- Counters of failed sign-ins and of sign-ups by address. Losing them in a crash is harmless, so no log is written.
-- `expire` is epoch milliseconds; a float, because the limiter calculates with plain numbers.
create unlogged table rate_limits (
  key text primary key,
  points integer not null,
  expire double precision
);
create index rate_limits_expire on rate_limits (expire);
