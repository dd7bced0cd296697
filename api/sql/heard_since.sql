-- revision: 1
-- The former name of api_available_since, for processes of the version before.
create or replace function heard_since() returns timestamptz language sql stable
return api_available_since();
