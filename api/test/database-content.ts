/** Takes a database back to what it contained, for tests that each need it without the rows of the others. */
import type { Database } from '../src/db/db.ts';

/** The schema that keeps the copy. */
type Copy = 'pristine' | 'remembered';

const TABLES = `select oid::regclass as name from pg_class
                 where relkind = 'r' and relnamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace)`;
/** More than this is left by tests of many rows: they slow down those after them. */
const LARGE_BYTES = 40 * 1024 * 1024;

/** Copies the tables that contain rows, and the positions of the sequences. */
export async function rememberContent(database: Database, copy: Copy): Promise<void> {
  await database.query(`
    do $$
    declare
      t record;
      is_filled boolean;
    begin
      create schema ${copy};
      create table ${copy}.sequences as
        select format('%I.%I', schemaname, sequencename)::regclass as id, last_value from pg_sequences;
      for t in ${TABLES} loop
        execute format('select exists (select from %s)', t.name) into is_filled;
        if is_filled then execute format('create table ${copy}.%I as table %s', t.name, t.name); end if;
      end loop;
    end $$`);
}

/** The connections of the application stay. It deletes instead of truncating, which costs more where tests fill few tables. */
export async function restoreContent(database: Database, copy: Copy): Promise<void> {
  await database.query(`
    do $$
    declare
      t record;
      remembered regclass;
    begin
      -- No triggers: they refuse changes of transfers and of the audit log.
      perform set_config('session_replication_role', 'replica', true);
      for t in ${TABLES} loop
        execute format('delete from %s', t.name);
        remembered := to_regclass(format('${copy}.%I', t.name));
        if remembered is not null then
          execute format('insert into %s overriding system value table %s', t.name, remembered);
        end if;
      end loop;
      perform setval(id, coalesce(last_value, seqstart), last_value is not null)
         from ${copy}.sequences join pg_sequence on seqrelid = id;
    end $$`);
}

export async function forgetContent(database: Database, copy: Copy): Promise<void> {
  await database.query(`drop schema if exists ${copy} cascade`);
}

/** @returns what changes with each change of the schema or of the database's settings, and when the database becomes large */
export async function readSchema(database: Database): Promise<string> {
  const ours = `('public'::regnamespace, 'graphile_worker'::regnamespace)`;
  const sources = [
    `pg_class where relnamespace in ${ours}`,
    `pg_proc where pronamespace in ${ours}`,
    `pg_constraint where connamespace in ${ours}`,
    `pg_trigger where tgrelid in (select oid from pg_class where relnamespace in ${ours})`,
    `pg_namespace where nspname not like 'pg_%' and nspname not in ('pristine', 'remembered')`,
    `pg_db_role_setting where setdatabase = (select oid from pg_database where datname = current_database())`,
  ].map((source) => `(select count(*) || ' ' || coalesce(sum(xmin::text::bigint), 0) from ${source})`);
  const [row] = await database.query<{ schema: string }>(
    `select concat_ws(', ', ${sources.join(', ')}, pg_database_size(current_database()) > ${LARGE_BYTES}) as schema`,
  );
  return row!.schema;
}
