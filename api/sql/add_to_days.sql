-- revision: 1
-- Keeps dashboard_days up to date: an hour is part of the 24 periods that begin with it or in the 23 hours before.
create or replace function add_to_days() returns trigger language plpgsql as $$
begin
  insert into dashboard_days (start, figure, currency, amount, count)
  select new.hour - n * interval '1 hour', new.figure, new.currency, new.amount, new.count from generate_series(0, 23) as n
      on conflict (start, figure, currency)
         do update set amount = dashboard_days.amount + excluded.amount, count = dashboard_days.count + excluded.count;
  if tg_op = 'UPDATE' then
    update dashboard_days set amount = amount - old.amount, count = count - old.count
     where start > old.hour - interval '24 hours' and start <= old.hour and figure = old.figure and currency = old.currency;
  end if;
  return null;
end $$;
