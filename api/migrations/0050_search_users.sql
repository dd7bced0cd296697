-- Finds users by a part of their email.
create extension if not exists pg_trgm;

-- Counts the changes of a role, so that nobody overwrites a change that they have not seen.
alter table roles add column version integer not null default 0;
