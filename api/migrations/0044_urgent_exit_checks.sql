-- Somebody waits for the outcome, customers reach nothing, or the check confirms a change: it comes before those that are merely due.
alter table exit_checks add column is_urgent boolean not null default false;
