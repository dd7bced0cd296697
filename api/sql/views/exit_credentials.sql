-- revision: 2
-- of: gateway
-- Encrypted credentials of upstream proxies. For logins, which pass them to gateways, for imports, which compare them, and for key rotation.
create or replace view exit_credentials as
select id, credentials_encrypted, credentials_hash, created_at
  from exits where credentials_encrypted is not null;
