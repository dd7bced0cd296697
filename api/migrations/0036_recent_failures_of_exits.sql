-- A bit for each of the last 20 checks that counts, the last one lowest: 1 if it failed. So an exit that fails now and then is noticed.
alter table exit_checks add column recent_failures integer not null default 0;
