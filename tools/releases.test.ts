/** @module-tag thorough */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installDependencies } from './install.mjs';
import { checkOutRelease, installRelease, readReleases } from './releases.mjs';

let home: string;
let origin: string;
/** The first of two commits. */
let commit: string;

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Tester', '-c', 'user.email=tester@example.com', ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();

beforeAll(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'releases-'));
  origin = path.join(home, 'origin');
  fs.mkdirSync(origin);
  git(origin, 'init', '--quiet', '--initial-branch=main');
  for (const content of ['first', 'second']) {
    fs.writeFileSync(path.join(origin, 'file'), content);
    git(origin, 'add', 'file');
    git(origin, 'commit', '--quiet', '--message', content);
  }
  commit = git(origin, 'rev-parse', 'HEAD~1');
});
afterAll(() => fs.rmSync(home, { recursive: true }));

function clone(name: string, ...options: string[]): string {
  git(home, 'clone', '--quiet', ...options, pathToFileURL(origin).href, name);
  return path.join(home, name);
}

describe('the checkout of a release', () => {
  it('has the files of its commit, and leaves nothing in the clone', () => {
    const root = clone('whole');
    const { directory, remove } = checkOutRelease(root, { version: '0.2.0', commit });
    expect(fs.readFileSync(path.join(directory, 'file'), 'utf8')).toBe('first');
    remove();
    expect(fs.existsSync(directory)).toBe(false);
    expect(git(root, 'worktree', 'list').split('\n')).toHaveLength(1);
  });

  it('fetches the commit that a shallow clone lacks', () => {
    const root = clone('shallow', '--depth=1');
    expect(() => git(root, 'cat-file', '-e', commit)).toThrow('cat-file');
    const { directory, remove } = checkOutRelease(root, { version: '0.2.0', commit });
    expect(fs.readFileSync(path.join(directory, 'file'), 'utf8')).toBe('first');
    remove();
  });

  it('fails with the names of release and commit if the commit does not exist', () => {
    const unknown = '0123456789'.repeat(4);
    for (const root of [clone('whole-again'), clone('shallow-again', '--depth=1')])
      expect(() => checkOutRelease(root, { version: '0.3.0', commit: unknown })).toThrow(
        new RegExp(`^Release 0\\.3\\.0 is commit ${unknown}, which this clone does not have .*--unshallow`),
      );
    const root = clone('alone', '--depth=1');
    git(root, 'remote', 'remove', 'origin');
    expect(() => checkOutRelease(root, { version: '0.2.0', commit })).toThrow(/^Release 0\.2\.0 is commit/);
  });
});

function write(content: string): string {
  const root = fs.mkdtempSync(path.join(home, 'list-'));
  fs.writeFileSync(path.join(root, 'releases.json'), content);
  return root;
}

describe('the list of releases', () => {
  it('is read in order, and may be empty', () => {
    expect(readReleases(write('[]'))).toEqual([]);
    const releases = ['0.2.0', '0.3.0'].map((version) => ({ version, commit }));
    expect(readReleases(write(JSON.stringify(releases)))).toEqual(releases);
  });

  it.each(['{}', '[null]', '[{"version":"0.2.0"}]', '[{"version":"0.2.0","commit":"abc"}]'])(
    'refuses %s',
    (content) => {
      expect(() => readReleases(write(content))).toThrow('releases.json');
    },
  );
});

it('a release with the same lock file gets the packages of all workspaces', () => {
  const [root, directory] = ['packages', 'release'].map((name) => path.join(home, name)) as [string, string];
  const places = ['node_modules/nodemailer', 'node_modules/pino', 'api/node_modules/nodemailer'];
  const packages = Object.fromEntries(places.map((place, index) => [place, { version: `${index}.0.0` }]));
  for (const folder of [root, directory]) {
    fs.mkdirSync(folder);
    fs.writeFileSync(
      path.join(folder, 'package-lock.json'),
      JSON.stringify({ packages: { '': {}, api: {}, ...packages } }),
    );
  }
  for (const place of places) {
    fs.mkdirSync(path.join(root, place), { recursive: true });
    fs.writeFileSync(path.join(root, place, 'package.json'), JSON.stringify(packages[place]));
  }
  installDependencies(root);
  installRelease(root, directory);
  for (const place of places)
    expect(JSON.parse(fs.readFileSync(path.join(directory, place, 'package.json'), 'utf8'))).toEqual(packages[place]);
});
