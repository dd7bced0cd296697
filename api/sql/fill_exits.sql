-- revision: 4
-- Called by 0.4.0 before it reads a checked file of proxies. All exits have their keys.
-- Its worker would leave out lines that mean the proxy of an exit, and takes a link as no change. So where it applies such a file, which it
-- does under the lock of the inventory, its attempt fails and changes nothing: a worker of this release makes one of the next attempts.
create or replace function fill_exits(in rows_max integer) returns integer language plpgsql as $$
begin
  if exists (select from pg_locks where locktype = 'advisory' and objid = 727004 and pid = pg_backend_pid() and granted)
     and exists (
       select from catalogue_changes as changes join catalogue_import_rows as file on file.import_id = (changes.request ->> 'importId')::uuid
        where changes.kind = 'IMPORT' and changes.status = 'RUNNING' and changes.ended_at is null
          and (file.ip is null or file.rotation is not null)
     ) then
    raise exception 'this file needs a worker of the newer release: upgrade the worker, then try again';
  end if;
  return 0;
end $$;
