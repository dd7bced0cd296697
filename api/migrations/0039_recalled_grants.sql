-- A cap that was lowered takes back what had been granted beyond it: an open run is told to end its part, and may begin again.
alter table connection_runs add column is_recalled boolean not null default false;
