-- revision: 1
-- Keeps dashboard_days up to date: an hour is part of the 24 periods that begin with it or in the 23 hours before.
create or replace function add_to_days() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into dashboard_days (start, figure, currency, amount, count)
    select hour - n * interval '1 hour', figure, currency, sum(amount)::bigint, sum(count)::bigint
      from added, generate_series(0, 23) as n group by 1, 2, 3
        on conflict (start, figure, currency)
           do update set amount = dashboard_days.amount + excluded.amount, count = dashboard_days.count + excluded.count;
  else
    insert into dashboard_days (start, figure, currency, amount, count)
    select hour - n * interval '1 hour', figure, currency, sum(amount)::bigint, sum(count)::bigint
      from (select hour, figure, currency, amount, count from added
            union all
            select hour, figure, currency, -amount, -count from removed) as changed,
           generate_series(0, 23) as n
     group by 1, 2, 3 having sum(amount) <> 0 or sum(count) <> 0
        on conflict (start, figure, currency)
           do update set amount = dashboard_days.amount + excluded.amount, count = dashboard_days.count + excluded.count;
  end if;
  return null;
end $$;
