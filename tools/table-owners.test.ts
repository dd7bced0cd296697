import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { foreignTables, ownerByTable, tablesIn } from './table-owners.ts';

const root = fileURLToPath(new URL('../api', import.meta.url));
const read = (file: string) => fs.readFileSync(path.join(root, file), 'utf8');
const list = (directory: string) =>
  fs
    .readdirSync(path.join(root, directory), { recursive: true, encoding: 'utf8' })
    .map((file) => `${directory}/${file}`);

describe('a table', () => {
  it('has one owner', () => {
    const migrations = list('migrations').filter((file) => file.endsWith('.sql'));
    const named = (pattern: RegExp) =>
      migrations.flatMap((file) => [...read(file).matchAll(pattern)].map(([, table]) => table!));
    const dropped = new Set(named(/^drop table (\w+)/gm));
    const created = named(/^create (?:unlogged )?table (\w+)/gm).filter((table) => !dropped.has(table));
    expect([...ownerByTable.keys()].sort()).toEqual(created.sort());
  });

  it('is read and written by its owner only, except for the invariant checks', () => {
    const files = list('src/modules').filter(
      (file) => /(?<!\.test)\.ts$/.test(file) && !file.endsWith('/invariants.store.ts'),
    );
    const found = files.flatMap((file) =>
      foreignTables(file.split('/')[2]!, read(file)).map(
        (table) => `${file} names ${table} of ${ownerByTable.get(table)!}`,
      ),
    );
    expect(found).toEqual([]);
  });

  it('of another module is found in every kind of statement', () => {
    const text = `
      // Not from users.
      query('select from users join tickets on true for update of promo_codes');
      query('insert into faqs select 1; update accounts set x = 1; delete from sessions');`;
    expect(foreignTables('tickets', text)).toEqual(['users', 'promo_codes', 'faqs', 'accounts', 'sessions']);
    expect(foreignTables('auth', 'select from users join sessions on true')).toEqual([]);
  });
});

describe('a view', () => {
  const views = list('sql/views').filter((file) => file.endsWith('.sql'));
  it.each(views)('%s reads tables of the modules that it names', (file) => {
    const text = read(file);
    const owners = /^-- of: (.+)$/m.exec(text)?.[1]?.split(', ');
    expect(new Set(tablesIn(text).map((table) => ownerByTable.get(table)))).toEqual(new Set(owners));
  });
});
