-- revision: 1
-- How long a run that was last heard at `seen_at` has been silent while it could have been heard. Null in `listening` says
-- nothing about that.
create or replace function silence_since(seen_at timestamptz) returns interval language sql stable
return clock_timestamp() - greatest(seen_at, heard_since());
