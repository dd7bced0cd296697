import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readReleases } from './releases.mjs';
import { judgeChange, judgeText } from './sql-rules.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const files = ['api/sql', 'api/sql/views'].flatMap((directory) =>
  fs
    .readdirSync(path.join(root, directory))
    .filter((file) => file.endsWith('.sql'))
    .map((file) => `${directory}/${file}`),
);
const read = (file: string) => fs.readFileSync(path.join(root, file), 'utf8');

/** The texts of the last release; none where a shallow clone lacks its commit: then `npm run test:upgrade` alone judges. */
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

const FUNCTION = `-- revision: 1
-- Adds.
create or replace function add_up(a bigint, b bigint default 0) returns bigint language sql immutable
return a + b;
`;

describe('a text of api/sql', () => {
  it.each(files)('%s creates what its name says, and nothing else', (file) => {
    expect(judgeText(path.basename(file, '.sql'), read(file))).toEqual([]);
  });

  it('must create something', () => {
    expect(judgeText('add_up', '-- revision: 1\n-- Adds.\n')).toEqual(['creates nothing']);
  });

  it('leaves processes of the last release what they call', () => {
    const complaints = [...readReleased()].flatMap(([file, released]) =>
      judgeChange(released, files.includes(file) ? read(file) : undefined).map((sentence) => `${file} ${sentence}`),
    );
    expect(complaints).toEqual([]);
  });

  it('is refused without a revision, and with any other statement', () => {
    expect(judgeText('add_up', FUNCTION)).toEqual([]);
    expect(judgeText('add_up', FUNCTION.replace('-- revision: 1\n', ''))).toEqual([
      'does not begin with "-- revision: <number>"',
    ]);
    const more = 'does more than "create or replace function add_up", or view';
    expect(judgeText('add_up', `${FUNCTION}drop table users;`)).toEqual([more]);
    expect(judgeText('add_up', FUNCTION.replace('create or replace', 'create'))).toEqual([more]);
    expect(judgeText('add_up', FUNCTION.replace('add_up', 'sum_up'))).toEqual([more]);
  });

  it('that changes has a greater revision', () => {
    const changed = FUNCTION.replace('a + b', 'b + a');
    expect(judgeChange(FUNCTION, changed)).toEqual(['has changed and needs a greater revision']);
    expect(judgeChange(FUNCTION, changed.replace('revision: 1', 'revision: 2'))).toEqual([]);
  });

  it('stays callable by processes of the release before', () => {
    const signature = 'create or replace function add_up(a bigint, b bigint default 0) returns bigint';
    const missing = [`lacks what the last release calls: ${signature}`];
    const second = FUNCTION.replace('revision: 1', 'revision: 2');
    expect(judgeChange(FUNCTION, second.replace('b bigint default 0', 'b bigint'))).toEqual(missing);
    expect(judgeChange(FUNCTION, second.replace('returns bigint', 'returns numeric'))).toEqual(missing);
    const overloaded = `${second}${FUNCTION.replace('-- revision: 1\n', '').replace('a bigint,', 'a bigint, c text,')}`;
    expect(judgeChange(FUNCTION, overloaded)).toEqual([]);
    expect(judgeChange(FUNCTION, undefined)).toEqual(['has gone: processes of the last release may call it']);
  });
});
