-- Processes of the previous release do not know these exits: they must not apply a file that has them.
alter table proxies add constraint proxies_upstream_exit
  check (exit_id is not null or coalesce(exit ->> 'kind', 'local-address') = 'local-address') not valid;
