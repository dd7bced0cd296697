import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readReleases } from './releases.mjs';
import { checkChange, checkDefinition } from './sql-rules.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const files = ['api/sql', 'api/sql/views'].flatMap((directory) =>
  fs
    .readdirSync(path.join(root, directory))
    .filter((file) => file.endsWith('.sql'))
    .map((file) => `${directory}/${file}`),
);
const read = (file: string) => fs.readFileSync(path.join(root, file), 'utf8');

/** The definitions of the last release; none if a shallow clone lacks its commit: then only `npm run test:upgrade` checks. */
function readReleased(): Map<string, string> {
  const commit = readReleases(root).at(-1)?.commit;
  const git = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout;
  const listed = commit === undefined ? '' : git('ls-tree', '-r', '--name-only', commit, 'api/sql');
  return new Map(
    listed
      .split('\n')
      .filter((file) => file.endsWith('.sql'))
      .map((file) => [file, git('show', `${commit}:${file}`)]),
  );
}

/** By the `-- contract:` line of a migration. */
function isUnused(name: string): boolean {
  const since = readReleases(root).at(-1)?.version;
  return fs
    .readdirSync(path.join(root, 'api/migrations'))
    .some((file) =>
      new RegExp(`^-- contract: nothing since ${since} uses .*\\b${name}\\b`, 'm').test(read(`api/migrations/${file}`)),
    );
}

const FUNCTION = `-- revision: 1
-- Adds.
create or replace function add_up(a bigint, b bigint default 0) returns bigint language sql immutable
return a + b;
`;

describe('a definition in api/sql', () => {
  it.each(files)('%s creates what it is named after, and nothing else', (file) => {
    expect(checkDefinition(path.basename(file, '.sql'), read(file))).toEqual([]);
  });

  it('must create something', () => {
    expect(checkDefinition('add_up', '-- revision: 1\n-- Adds.\n')).toEqual(['creates nothing']);
  });

  it('keeps what processes of the last release call', { tags: ['thorough'] }, () => {
    const violations = [...readReleased()].flatMap(([file, released]) =>
      checkChange(released, files.includes(file) ? read(file) : undefined, isUnused(path.basename(file, '.sql'))).map(
        (sentence) => `${file} ${sentence}`,
      ),
    );
    expect(violations).toEqual([]);
  });

  it('is refused without a revision, and with another statement', () => {
    expect(checkDefinition('add_up', FUNCTION)).toEqual([]);
    expect(checkDefinition('add_up', FUNCTION.replace('-- revision: 1\n', ''))).toEqual([
      'does not begin with "-- revision: <number>"',
    ]);
    const more = 'does more than "create or replace function add_up", or view';
    expect(checkDefinition('add_up', `${FUNCTION}drop table users;`)).toEqual([more]);
    expect(checkDefinition('add_up', FUNCTION.replace('create or replace', 'create'))).toEqual([more]);
    expect(checkDefinition('add_up', FUNCTION.replace('add_up', 'sum_up'))).toEqual([more]);
  });

  it('that changes needs a greater revision', () => {
    const changed = FUNCTION.replace('a + b', 'b + a');
    expect(checkChange(FUNCTION, changed)).toEqual(['has changed and needs a greater revision']);
    expect(checkChange(FUNCTION, changed.replace('revision: 1', 'revision: 2'))).toEqual([]);
  });

  it('stays callable by processes of the previous release', () => {
    const signature = 'create or replace function add_up(a bigint, b bigint default 0) returns bigint';
    const missing = [`lacks a signature of the last release: ${signature}`];
    const second = FUNCTION.replace('revision: 1', 'revision: 2');
    expect(checkChange(FUNCTION, second.replace('b bigint default 0', 'b bigint'))).toEqual(missing);
    expect(checkChange(FUNCTION, second.replace('returns bigint', 'returns numeric'))).toEqual(missing);
    const overloaded = `${second}${FUNCTION.replace('-- revision: 1\n', '').replace('a bigint,', 'a bigint, c text,')}`;
    expect(checkChange(FUNCTION, overloaded)).toEqual([]);
    expect(checkChange(FUNCTION, undefined)).toEqual(['was deleted: processes of the last release may call it']);
    expect(checkChange(FUNCTION, undefined, true)).toEqual([]);
  });
});
