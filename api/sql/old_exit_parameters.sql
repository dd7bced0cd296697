-- revision: 1
-- The parameters of an exit that the release before has written.
create or replace function old_exit_parameters(in kind exit_kind, in address inet, in host text, in port integer) returns jsonb
language sql stable as $$
  select case when kind = 'local-address' then jsonb_build_object('address', host(address))
              else jsonb_build_object('host', host, 'port', port) end
$$;
