/** Takes a database back to what it contained, for tests that each need it without the rows of the others. */
import type { Database } from '../src/db/db.ts';

/** Copies the tables that contain rows, and the positions of the sequences. */
export async function rememberContent(database: Database): Promise<void> {
  await database.query(`
    do $$
    declare
      t record;
      is_filled boolean;
    begin
      create schema remembered;
      create table remembered.sequences as
        select format('%I.%I', schemaname, sequencename)::regclass as id, last_value from pg_sequences;
      for t in select oid::regclass as name from pg_class
                where relkind = 'r' and relnamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace) loop
        execute format('select exists (select from %s)', t.name) into is_filled;
        if is_filled then execute format('create table remembered.%I as table %s', t.name, t.name); end if;
      end loop;
    end $$`);
}

/** The connections of the application stay. It deletes instead of truncating, which costs more where tests fill few tables. */
export async function restoreContent(database: Database): Promise<void> {
  await database.query(`
    do $$
    declare
      t record;
    begin
      -- No triggers: they refuse changes of transfers and of the audit log.
      perform set_config('session_replication_role', 'replica', true);
      for t in select oid::regclass as name, to_regclass(format('remembered.%I', oid::regclass)) as remembered from pg_class
                where relkind = 'r' and relnamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace) loop
        execute format('delete from %s', t.name);
        if t.remembered is not null then
          execute format('insert into %s overriding system value table %s', t.name, t.remembered);
        end if;
      end loop;
      perform setval(id, coalesce(last_value, seqstart), last_value is not null)
         from remembered.sequences join pg_sequence on seqrelid = id;
    end $$`);
}
