-- revision: 1
-- of: usage
-- Cumulative counters of connections at the end of each hour with traffic.
create or replace view readable_traffic_hours as
select connection_id, hour, used_bytes, uploaded_bytes from traffic_hours;
