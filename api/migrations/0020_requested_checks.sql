-- When the check that somebody waits for was requested. Null if no such request was ever made, or by a process of the release before.
alter table exit_checks add column requested_at timestamptz;
