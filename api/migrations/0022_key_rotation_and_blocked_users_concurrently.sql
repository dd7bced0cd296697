-- The re-sealing of second factors follows them in the order of their creation.
create index concurrently second_factors_created on second_factors (created_at, user_id);
-- Few users are blocked; their connections are looked for every second.
create index concurrently users_blocked on users (id) where status = 'BLOCKED';
