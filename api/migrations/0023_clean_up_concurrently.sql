-- For finding what may go without reading what stays.
create index concurrently sessions_expired on sessions (expired_at);
create index concurrently known_devices_seen on known_devices (seen_at);
-- Codes that were asked for addresses without an account go earlier than the others.
create index concurrently mail_codes_of_nobody on mail_codes (created_at) where user_id is null;
