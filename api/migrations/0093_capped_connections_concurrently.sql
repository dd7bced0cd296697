-- For alerts near the cap.
create index concurrently connections_capped on connections (id) where status = 'WORK' and cap_megabytes is not null;
