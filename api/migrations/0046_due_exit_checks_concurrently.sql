-- Each check changes an entry. Without it, every call of a node with a backlog would sort all of its exits.
create index concurrently exit_checks_due on exit_checks (node_id, health, next_check_at);
