-- revision: 2
-- Since when the API has accepted reports of gateways without a gap. Before that moment a gateway could not report, so its silence does
-- not count. While no API process runs, this is now.
create or replace function api_available_since() returns timestamptz language sql stable
return (select case when seen_at between now() - interval '10 seconds' and now() + interval '10 seconds' then least(since, now()) else now() end from listening);
