-- revision: 3
-- Called by 0.4.0 before it reads a file of proxies. All exits have their keys.
create or replace function fill_exits(in rows_max integer) returns integer language sql as $$
  select 0
$$;
