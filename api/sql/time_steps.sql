-- revision: 1
-- The beginnings of the hours or days that a range touches, in a time zone. Found by the instants inside of them, not by adding hours to
-- the time on a clock: a day can have 23 or 25 hours, an hour can come twice or never, and clocks can change by half an hour.
create or replace function time_steps(range_from timestamptz, range_to timestamptz, step text, time_zone text)
returns setof timestamptz language sql stable parallel safe as $$
  select distinct date_trunc(step, instant, time_zone)
    from (select generate_series(range_from, range_to - interval '1 microsecond',
                                 case step when 'hour' then interval '15 minutes' else interval '12 hours' end) as instant
          union all
          select range_to - interval '1 microsecond') as instants
   order by 1
$$;
