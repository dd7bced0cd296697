-- revision: 1
-- The key of an exit that the release before has written, without the hash of its credentials.
create or replace function old_exit_key(in kind exit_kind, in address inet, in host text, in port integer) returns text language sql stable as $$
  select kind || '://' || coalesce(case when host like '%:%' then '[' || host || ']' else host end || ':' || port, host(address), '')
$$;
