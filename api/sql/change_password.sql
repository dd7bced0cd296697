-- revision: 1
-- Replaces the password of an open connection, encrypted and hashed, unless one of the last ten changes had this idempotency key. Null:
-- the request has none. The caller has locked the payer's account.
create or replace function change_password(changed_id uuid, encrypted bytea, hash bytea, key text) returns void language sql as $$
  update connections
     set password_encrypted = encrypted, password_hash = hash,
         access_revision = access_revision + 1, password_revision = access_revision + 1,
         password_keys = case when key is null then password_keys else (array_prepend(key, password_keys))[:10] end
   where id = changed_id and status = 'WORK' and (key is null or key <> all (password_keys));
$$;
