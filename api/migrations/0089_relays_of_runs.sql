-- What moves the bytes of its tunnels. Null: a process of the release before, which does not say it.
alter table gateway_runs add column relay text;
