-- revision: 1
-- Adds a mark to the idle window of a connection and drops the marks that are no longer needed. The first mark is the moment since
-- which at least `threshold` bytes have passed, that moment included. The others are later traffic, oldest first. Of marks closer
-- together than `slot` only the last is kept. So there are at most two per slot, no byte counts as older than it is, and none as more
-- than one slot younger.
create or replace function slide_idle_window(marks traffic_mark[], mark traffic_mark, threshold bigint, slot interval)
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
