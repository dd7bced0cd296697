-- The dashboard sums the traffic of all connections in an hour.
create index concurrently traffic_hours_by_hour on traffic_hours (hour);
