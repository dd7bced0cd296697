import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { packagePath } from '../process/package-path.ts';
import { listMigrations } from './migrate.ts';
import { findEffects } from './migration-statements.ts';

const moment = { blocks: 'everything', duration: 'moment' };

test.each([
  ['create table a (id int); create index on_a on a (id); insert into a values (1)', []],
  ['create or replace view v as select 1; create function f() returns int as $$ delete from b; $$ language sql', []],
  ['alter table a add column b int -- not null', [{ table: 'a', ...moment }]],
  ["alter table a add column b text not null default 'set not null; x'", [{ table: 'a', ...moment }]],
  ['alter table a alter column b drop not null', [{ table: 'a', ...moment }]],
  [
    'ALTER TABLE a ADD COLUMN b uuid DEFAULT gen_random_uuid()',
    [{ table: 'a', blocks: 'everything', duration: 'write' }],
  ],
  ['alter table a alter column b type bigint', [{ table: 'a', blocks: 'everything', duration: 'write' }]],
  ['alter table a alter b set not null', [{ table: 'a', blocks: 'everything', duration: 'read' }]],
  ['alter table a add constraint c check (b > 0)', [{ table: 'a', blocks: 'everything', duration: 'read' }]],
  ['alter table a add constraint c check (b > 0) not valid', [{ table: 'a', ...moment }]],
  ['alter table a validate constraint c', [{ table: 'a', blocks: 'nothing', duration: 'read' }]],
  ['create unique index concurrently i on a (b)', [{ table: 'a', blocks: 'nothing', duration: 'read' }]],
  ['create index i on a (b)', [{ table: 'a', blocks: 'writes', duration: 'read' }]],
  [
    'create trigger t after update on a for each row execute function f()',
    [{ table: 'a', blocks: 'writes', duration: 'moment' }],
  ],
  [
    'create constraint trigger t after update on a deferrable for each row execute function f()',
    [{ table: 'a', blocks: 'writes', duration: 'moment' }],
  ],
  ['update a set b = 1', [{ table: 'a', blocks: 'changed rows', duration: 'write' }]],
  ['drop table a', [{ table: 'a', ...moment }]],
  ['cluster a', [{ table: undefined, blocks: 'unknown', duration: 'write' }]],
])('%s', (text, effects) => {
  expect(findEffects(text)).toEqual(effects);
});

test('no migration after the first has a statement whose locks are unknown', async () => {
  for (const name of (await listMigrations()).slice(1)) {
    const effects = findEffects(await readFile(packagePath(`migrations/${name}`), 'utf8'));
    expect(effects.filter(({ blocks }) => blocks === 'unknown')).toEqual([]);
  }
});
