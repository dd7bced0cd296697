-- A cap below the grant recalls it: an open run must end its part of the connection, and may open it again.
alter table connection_runs add column is_recalled boolean not null default false;
