-- A check has found that the exit carries the echo alone. Later checks ask for more until one succeeds, whatever their reason is meanwhile.
alter table exit_checks add column is_in_doubt boolean not null default false;
