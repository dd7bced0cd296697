-- revision: 1
-- Silence of a gateway tells something only since this moment. While no API process runs, that is now.
create or replace function heard_since() returns timestamptz language sql stable
return (select case when seen_at > now() - interval '10 seconds' then since else now() end from listening);
