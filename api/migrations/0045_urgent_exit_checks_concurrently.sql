-- Few at any time.
create index concurrently exit_checks_urgent on exit_checks (node_id, next_check_at) where is_urgent;
