-- revision: 1
-- of: billing
-- Credentials of connections. For connections/ only, which creates, shows and checks them.
create or replace view connection_credentials as
select id, username, password_encrypted, password_hash, created_at from connections;
