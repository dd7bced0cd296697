-- revision: 1
-- Saves passwords of connections that were encrypted and hashed with a new key. Needs no lock of the payer's account, because billing does
-- not depend on them. Skips rows that are locked, or whose password is not `before` any more, so it never waits while it holds locks.
-- Returns the ids of the rows that were saved.
create or replace function reseal_passwords(ids uuid[], before bytea[], encrypted bytea[], hashes bytea[])
returns setof uuid language plpgsql as $$
begin
  return query
    with change as (
      select * from unnest(ids, reseal_passwords.before, encrypted, hashes) as change (id, known, new_encrypted, new_hash)
    ), free as (
      select connections.id from connections join change on change.id = connections.id and known = password_encrypted
         for no key update of connections skip locked
    )
    update connections set password_encrypted = new_encrypted, password_hash = new_hash
      from change join free on free.id = change.id
     where connections.id = change.id
    returning connections.id;
end $$;
