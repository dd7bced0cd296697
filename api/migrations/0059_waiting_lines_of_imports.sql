-- Lines of a checked file that wait for their address. In none of the other counts, which the release before compares with its own.
alter table catalogue_imports add column waiting_count integer not null default 0;
