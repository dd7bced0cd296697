import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkMigration } from './migration-rules.ts';
import { readReleases } from './releases.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const directory = `${root}/api/migrations`;
const versions = readReleases(root).map(({ version }) => version);

const check = (sql: string, name = '9001_example.sql') => checkMigration(name, sql, ['0.2.0']);

describe('a migration', () => {
  it.each(fs.readdirSync(directory))('%s keeps processes of the previous release working', (name) => {
    expect(checkMigration(name, fs.readFileSync(`${directory}/${name}`, 'utf8'), versions)).toEqual([]);
  });

  it.each([
    ['alter table users drop column email', 'drops a column, a table, a view, a type or a function'],
    ['DROP TABLE users', 'drops a column, a table, a view, a type or a function'],
    ['drop view balances, entries;', 'drops a column, a table, a view, a type or a function'],
    ['alter table users rename column email to address', 'renames'],
    ['alter table users rename email to address', 'renames'],
    ['alter table users rename to customers', 'renames'],
    ['alter table users\n  alter column email type varchar(400)', 'changes the type of a column'],
    ['alter table users alter email set data type varchar(400)', 'changes the type of a column'],
    ['alter table users alter column email set not null', 'forbids null in a column that is in use'],
    ['truncate account_sums', 'truncates'],
    [
      'alter table users add column a int, add column phone text not null',
      'adds a column that is not null and has no default: an older process writes rows without it',
    ],
    [
      'create index users_phone on users (phone)',
      'builds an index on users in a transaction: use a file *_concurrently.sql',
    ],
  ])('with "%s" is refused', (sql, sentence) => {
    expect(check(sql)).toEqual([sentence]);
  });

  it.each([
    "alter table users add column phone text not null default '', add column note text",
    'create table phones (user_id uuid not null); create index phones_user on phones (user_id); alter table phones add column note text not null',
    '-- It used to drop column email.\nselect 1',
    "comment on table users is 'rename to customers'",
    'create function forget() returns void language plpgsql as $$ begin drop table if exists scratch; end $$',
    'create trigger users_not_truncated before truncate on users for each statement execute function refuse_change()',
    'alter table users drop constraint users_email_check',
  ])('with "%s" is allowed', (sql) => {
    expect(check(sql)).toEqual([]);
  });

  it('may build an index on a table in use in a *_concurrently.sql file', () => {
    expect(check('create index concurrently users_phone on users (phone)', '9001_phone_concurrently.sql')).toEqual([]);
  });

  it('may remove what no release since the named one uses', () => {
    const sql = 'alter table users drop column email;';
    expect(check(`-- contract: nothing since 0.2.0 uses users.email\n${sql}`)).toEqual([]);
    expect(check(`-- contract: nothing since 0.9.0 uses users.email\n${sql}`)).toEqual([
      'names 0.9.0 as the release since which nothing uses it: releases.json does not have it',
    ]);
  });
});
