-- What each exit has carried and earned in a month (UTC), as the worker has counted it. A cost that staff change begins another row, so that
-- each row has one cost; so does another place of a proxy.
create table month_sums (
  month date not null,
  exit_id uuid not null references exits,
  country_code text not null,
  isp text not null,
  -- For 1,024 MB, when the traffic flowed. Null: nobody had set one.
  exit_micros bigint,
  node_micros bigint,
  used_bytes bigint not null default 0,
  -- Charges less refunds.
  revenue_micros bigint not null default 0,
  constraint month_sums_key unique nulls not distinct (month, exit_id, country_code, isp, exit_micros, node_micros)
);
insert into month_sums (month, exit_id, country_code, isp, used_bytes)
select month, exits.id, coalesce(country_code, 'ZZ'), coalesce(isp, '-'), used_bytes
  from month_traffic join exits on exits.id = exit_id
  left join lateral (select country_code, isp from proxies where proxies.exit_id = exits.id limit 1) as place on true;
-- Up to which transfer revenue is counted. It begins with this release.
create table revenue_mark (
  is_only boolean primary key default true check (is_only),
  transfer_id bigint not null
);
insert into revenue_mark (transfer_id) select coalesce(max(id), 0) from transfers;
