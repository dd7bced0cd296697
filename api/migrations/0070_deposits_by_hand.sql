-- Recorded by staff, not by a chain: a payment that no watcher can see. Its transaction id is that of the request.
alter table deposits add column is_by_hand boolean not null default false;
