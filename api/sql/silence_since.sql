-- revision: 1
-- How long a run last seen at `seen_at` has been silent while the API was available. Null in `listening` has no meaning for this.
create or replace function silence_since(seen_at timestamptz) returns interval language sql stable
return clock_timestamp() - greatest(seen_at, api_available_since());
