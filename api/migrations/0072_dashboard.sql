-- Sums by hour (UTC) for the dashboard of staff. The worker adds transfers in batches up to a mark, and counts the hours since another
-- mark again each minute, so that a repeated or interrupted run changes nothing.
create type dashboard_figure as enum ('REVENUE', 'TOP_UP', 'UPLOADED', 'DOWNLOADED', 'SIGN_UP');
create table dashboard_sums (
  figure dashboard_figure not null,
  hour timestamptz not null check (hour = date_trunc('hour', hour, 'UTC')),
  -- Of a top-up; empty if it is not known, and for the other figures.
  currency text not null default '',
  -- Micro-dollars, bytes or users.
  amount bigint not null,
  count bigint not null,
  primary key (figure, hour, currency)
) with (fillfactor = 90);

-- In one row, which is also the lock of the workers.
create table dashboard_mark (
  is_only boolean primary key default true check (is_only),
  -- Transfers up to this one are in the sums.
  transfer_id bigint not null,
  -- Traffic and sign-ups of earlier hours are final. Null: none have been counted.
  hour timestamptz
);
insert into dashboard_mark (transfer_id) values (0);

-- Counted once a minute, because the catalogue may have a million proxies.
create table dashboard_proxies (
  country_code text primary key,
  free integer not null,
  sold integer not null,
  unhealthy integer not null
);
