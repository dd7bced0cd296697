import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { errorCodes } from '../contract/src/errors.ts';

/** House rules that no linter knows. A rule that is broken names the file, so the failure reads as a list of work. */

const root = fileURLToPath(new URL('..', import.meta.url));
const LINES_MAX = 500;
/** Of an entry of the changelog, with some air: an entry has about 120 characters. */
const LINE_MAX = 140;
/** Flat lists read well at any length: one entry per line, nothing to follow. */
const LISTS = [/^web\/src\/i18n\/locales\//, /\/(countries|locations|faq-items)\.ts$/];

/** What git tracks or would track, and what is still there: a deleted file may be in the index until the next commit. */
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\0')
  .filter((file) => file !== '' && fs.existsSync(path.join(root, file)));

const read = (file: string) => fs.readFileSync(path.join(root, file), 'utf8');
const code = files.filter((file) => /\.(ts|tsx|mjs|sql|css)$/.test(file));
const tests = code.filter((file) => /\.(test|spec)\.tsx?$/.test(file));
/** VALIDATION alone carries details and so has a constructor of its own. */
const use = (name: string) => (name === 'VALIDATION' ? 'AppError.validation(' : `'${name}'`);
const matching = (candidates: string[], pattern: RegExp) => candidates.filter((file) => pattern.test(read(file)));

describe('the house', () => {
  it('numbers its migrations without gaps', () => {
    const names = files.filter((file) => file.startsWith('api/migrations/')).map((file) => path.basename(file));
    const expected = names.map((_, index) => String(index + 1).padStart(4, '0'));
    expect(names.map((name) => name.slice(0, 4))).toEqual(expected);
    expect(names.filter((name) => !/^\d{4}_[a-z0-9_]+\.sql$/.test(name))).toEqual([]);
  });

  it(`splits a source file before it has ${LINES_MAX} lines`, () => {
    const sources = code.filter((file) => /^[^/]+\/src\//.test(file) && !LISTS.some((list) => list.test(file)));
    expect(sources.filter((file) => read(file).split('\n').length > LINES_MAX)).toEqual([]);
  });

  it('keeps addresses of registries out of the lock file', () => {
    expect(read('package-lock.json')).not.toMatch(/"resolved": "https?:/);
  });

  it('runs every test that it has', () => {
    expect(matching(tests, /\b(it|test|describe)(\.\w+)*\.(only|skip|todo|fails|fixme)\b|\bx(it|describe)\(/)).toEqual(
      [],
    );
  });

  it('measures no time of the gateway by the clock on the wall, which may jump', () => {
    const programs = code.filter((file) => file.startsWith('gateway/src/') && !tests.includes(file));
    expect(matching(programs, /\bDate(\.now)?\(/)).toEqual([]);
  });

  it('notifies through the database in one place of its own, outside of transactions', () => {
    const programs = code.filter((file) => file.startsWith('api/') && !tests.includes(file));
    // The job runner's own functions notify too; what moves money calls none of them (api/src/jobs.test.ts).
    expect(matching(programs, /\bpg_notify\(|^\s*notify\s/im)).toEqual(['api/src/live/changes.ts']);
  });

  it('has no circle of modules that import each other', () => {
    const imports = new Map<string, Set<string>>();
    for (const file of code.filter((file) => file.startsWith('api/src/modules/') && !tests.includes(file))) {
      const module = file.split('/')[3]!;
      const imported = [...read(file).matchAll(/from '\.\.\/([a-z-]+)\//g)].map(([, name]) => name!);
      imports.set(module, new Set([...(imports.get(module) ?? []), ...imported]));
    }
    // What imports nothing that is still there goes, again and again: what stays is in a circle, or leads to one.
    for (let size = -1; size !== imports.size;) {
      size = imports.size;
      for (const [module, imported] of imports)
        if (![...imported].some((name) => imports.has(name))) imports.delete(module);
    }
    expect([...imports.keys()]).toEqual([]);
  });

  it('writes transfers, balances, escrow and holds in functions of api/sql alone', () => {
    const programs = code.filter((file) => file.startsWith('api/src/') && !tests.includes(file));
    const writes = /\b(insert into|update|delete from) (transfers|accounts)\b|\b(escrow|held|balance)_micros = /;
    // The one row of money that is not moved: an account is opened empty.
    expect(matching(programs, writes)).toEqual(['api/src/modules/ledger/ledger.store.ts']);
    expect(read('api/src/modules/ledger/ledger.store.ts').match(new RegExp(writes, 'g'))).toEqual([
      'insert into accounts',
    ]);
  });

  it('limits the time of statements where connections are made, and in the searches that give up early', () => {
    const programs = code.filter((file) => file.startsWith('api/src/') && !tests.includes(file));
    // A limit that the driver does not know about is cut by the driver's own (api/src/db.ts, TransactionOptions).
    expect(matching(programs, /statement_timeout/)).toEqual([
      'api/src/database-connection.ts',
      'api/src/db.ts',
      'api/src/modules/proxies/search.store.ts',
    ]);
  });

  it('leaves no marker for later', () => {
    const texts = [...code, ...files.filter((file) => file.endsWith('.md'))];
    // The brackets keep this file from finding itself.
    expect(matching(texts, /\b(T[O]DO|F[I]XME|X[X]X|H[A]CK)\b|^[<>]{7} /m)).toEqual([]);
  });

  it('has a line for each entry of the changelog, and a section for the version of package.json', () => {
    const changelog = read('CHANGELOG.md');
    expect(changelog.split('\n').filter((line) => line.length > LINE_MAX || line.startsWith('  '))).toEqual([]);
    const [, newest] = /^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}$/m.exec(changelog) ?? [];
    expect(newest).toBe((JSON.parse(read('package.json')) as { version: string }).version);
  });

  it('uses every code of the error catalogue', () => {
    const programs = code.filter((file) => /^(api|gateway)\/src\//.test(file) && !tests.includes(file)).map(read);
    expect(errorCodes.filter((name) => !programs.some((text) => text.includes(use(name))))).toEqual([]);
  });

  it('has no barrel and no drawer for leftovers', () => {
    expect(code.filter((file) => /\/src\/(.*\/)?(utils?|helpers?|common|misc|index)(\.|\/)/.test(file))).toEqual([]);
  });
});
