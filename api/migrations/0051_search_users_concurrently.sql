create index concurrently users_email_parts on users using gin (email gin_trgm_ops);
create index concurrently users_newest_by_role on users (role_name, created_at desc, id);
create index concurrently users_newest_by_referrer on users (referrer_id, created_at desc, id) where referrer_id is not null;
create index concurrently users_newest_not_active on users (status, created_at desc, id) where status <> 'ACTIVE';
create index concurrently users_newest_not_confirmed on users (created_at desc, id) where email_confirmed_at is null;
