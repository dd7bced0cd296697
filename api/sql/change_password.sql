-- revision: 1
-- Replaces the password of an open connection, encrypted and hashed. The caller has locked the payer's account.
create or replace function change_password(changed_id uuid, encrypted bytea, hash bytea) returns void language sql as $$
  update connections
     set password_encrypted = encrypted, password_hash = hash,
         access_revision = access_revision + 1, password_revision = access_revision + 1
   where id = changed_id and status = 'WORK';
$$;
