-- When the traffic of a connection had reached a total.
create type traffic_mark as (at timestamptz, used_bytes bigint);

-- The first mark of `marks` is the moment since which at least `threshold` bytes have passed, that moment's own included;
-- the others are later traffic, oldest first. This adds a mark and drops what it makes needless. Of marks that lie closer
-- than `slot` only the last is kept: so there are at most two in a slot, and no byte is taken to be older than it is, nor
-- more than a slot younger.
create function slide_idle_window(marks traffic_mark[], mark traffic_mark, threshold bigint, slot interval)
returns traffic_mark[] language sql immutable
return (
  with kept as (
    select case when cardinality(marks) > 1 and (mark).at - (marks[cardinality(marks) - 1]).at < slot
                then marks[:cardinality(marks) - 1] else marks end || mark as marks
  ), numbered as (
    select at, used_bytes, number, lag(used_bytes) over (order by number) as before
      from kept, unnest(kept.marks) with ordinality as each (at, used_bytes, number)
  )
  select array_agg((at, used_bytes)::traffic_mark order by number) from numbered
   where number >= (select max(number) from numbered where number = 1 or (mark).used_bytes - before >= threshold)
);

-- A purchase counts as traffic: the first idle time begins with it.
alter table connections add column idle_marks traffic_mark[] not null default array[(now(), 0)::traffic_mark];
update connections set idle_marks = array[(idle_since, idle_mark_bytes)::traffic_mark] where status = 'WORK';
alter table connections drop column idle_since, drop column idle_mark_bytes;

-- The run fell silent with the connection open: its process may still serve it.
alter table connection_runs add column is_lost boolean not null default false;

-- One row: since when gateways have been able to report without a gap, and when an API process last said so.
create table listening (
  is_only boolean primary key default true check (is_only),
  since timestamptz not null default now(),
  seen_at timestamptz not null default now()
);

-- Silence of a gateway tells something only since this moment. While no API process runs, that is now.
create function heard_since() returns timestamptz language sql stable
return (select case when seen_at > now() - interval '10 seconds' then since else now() end from listening);

-- How long a run that was last heard at `seen_at` has been silent while it could have been heard. Null in `listening` says
-- nothing about that.
create function silence_since(seen_at timestamptz) returns interval language sql stable
return clock_timestamp() - greatest(seen_at, heard_since());
