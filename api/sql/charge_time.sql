-- revision: 1
-- A timestamp as receipts show it: UTC, truncated to milliseconds.
create or replace function charge_time(moment timestamptz) returns text language sql stable
return to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
