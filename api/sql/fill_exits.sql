-- revision: 2
-- Fills in the keys and parameters of exits that the release before has written; the trigger of the table derives them. Skips locked rows.
-- Returns the number of filled rows, at most `rows_max`.
create or replace function fill_exits(in rows_max integer) returns integer language sql as $$
  -- Materialized: a plan may read a subquery with a limit again for each row, and lock others.
  with chosen as materialized (
    select id from exits where key is null limit rows_max for no key update skip locked
  ), filled as (
    update exits set key = null where id in (select id from chosen) returning id
  )
  select count(*)::integer from filled
$$;
