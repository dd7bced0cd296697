-- revision: 1
-- of: billing
-- What opens a connection. For connections/ alone, which makes, shows and checks it.
create or replace view connection_credentials as
select id, username, password_encrypted, password_hash, created_at from connections;
