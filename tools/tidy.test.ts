import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { errorCodes } from '../contract/src/errors.ts';

/** House rules that the linter cannot check. A failure lists the files that break a rule. */

const root = fileURLToPath(new URL('..', import.meta.url));
/** A path from the root in a code span, without placeholders such as `<name>` or `*`. */
const PATH_IN_TEXT = /`((?:api|attacks|bench|bin|contract|e2e|faults|gateway|tools|web)\/[^`\s<>*{}]+)`/g;
/** All files that git tracks or would track and that exist: the index contains deleted files until the next commit. */
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\0')
  .filter((file) => file !== '' && fs.existsSync(path.join(root, file)));

const read = (file: string) => fs.readFileSync(path.join(root, file), 'utf8');
const code = files.filter((file) => /\.(ts|tsx|mjs|sql|css)$/.test(file));
const programs = code.filter((file) => !/\.(test|spec)\.tsx?$/.test(file));
const definitions = code.filter((file) => /^api\/(migrations|sql)\//.test(file));
const ofApi = programs.filter((file) => file.startsWith('api/src/'));
/** Only VALIDATION has details, so it has its own constructor. */
const use = (name: string) => (name === 'VALIDATION' ? 'AppError.validation(' : `'${name}'`);
const matching = (candidates: string[], pattern: RegExp) => candidates.filter((file) => pattern.test(read(file)));

/** Files with the texts of screens, emails, notifications, errors and pages. */
const TEXTS =
  /^(?:web\/src\/i18n\/locales\/.*\.json|api\/src\/(?:mail|modules\/[a-z-]+)\/(?:[a-z]+-)?texts\.ts|api\/src\/seed\/demo-faq\.ts|contract\/src\/(?:errors|confirmation-texts)\.ts)$/;
/** What settings limit (docs/settings.md), in both languages. */
const COUNTED =
  /\$\d+|\d+\s?(?:second|minute|hour|day|connection|invoice|ticket|message|tunnel|proxies|секунд|мин|час|дн|подключ|счет|счёт|обращ|сообщ|туннел|прокси)/giu;
/** Lifetimes of links, limits of contract/src/limits.ts and of the gateway, ranges to choose from. */
const CONSTANTS = [
  'auth.json: 30 minute',
  'auth.json: 30 мин',
  'common.json: 10 second',
  'common.json: 10 секунд',
  'common.json: 30 day',
  'common.json: 30 дн',
  'demo-faq.ts: 10 minute',
  'demo-faq.ts: 10 мин',
  'english-texts.ts: 24 hour',
  'english-texts.ts: 30 minute',
  'payment.json: 15 minute',
  'payment.json: 15 мин',
  'proxyConnection.json: 10 minute',
  'proxyConnection.json: 10 мин',
  'proxyConnection.json: 30 day',
  'proxyConnection.json: 30 дн',
  'proxyConnection.json: 5 minute',
  'proxyConnection.json: 5 мин',
  'russian-texts.ts: 24 час',
  'russian-texts.ts: 30 мин',
  'staff.json: 30 minute',
  'staff.json: 30 мин',
  'staffSupport.json: 30 day',
  'staffSupport.json: 30 дн',
  'staffSupport.json: 7 day',
  'staffSupport.json: 7 дн',
  'staffSupport.json: 90 day',
  'staffSupport.json: 90 дн',
  'staffUsers.json: 90 day',
  'staffUsers.json: 90 дн',
  'usage.json: 24 hour',
  'usage.json: 24 час',
  'usage.json: 30 day',
  'usage.json: 30 дн',
  'usage.json: 7 day',
  'usage.json: 7 дн',
  'user.json: $1',
];

describe('the repository', () => {
  it('numbers its migrations without gaps', () => {
    const names = files.filter((file) => file.startsWith('api/migrations/')).map((file) => path.basename(file));
    const expected = names.map((_, index) => String(index + 1).padStart(4, '0'));
    expect(names.map((name) => name.slice(0, 4))).toEqual(expected);
    expect(names.filter((name) => !/^\d{4}_[a-z0-9_]+\.sql$/.test(name))).toEqual([]);
  });

  it('calls pg_notify in one place only, outside of transactions', () => {
    // The functions of the job runner notify too; transactions that move money call none of them.
    expect(matching([...ofApi, ...definitions], /\bpg_notify\(|^\s*notify\s/im)).toEqual(['api/src/live/changes.ts']);
  });

  it('writes the cells of CSV files in one place, which keeps formulas out', () => {
    expect(matching(programs, /replaceAll\('"', '""'\)/)).toEqual(['contract/src/csv.values.ts']);
  });

  it('has no test that asserts on what other code has started, or on less than ten seconds of real time', () => {
    const tests = code.filter((file) => !programs.includes(file));
    expect(matching(tests, /getTimerCoun[t]|_getActiveHandle[s]|getActiveResourcesInf[o]/)).toEqual([]);
    expect(matching(tests, /now\(\) - \w+\)\.toBeLessThan(?:OrEqual)?\((?:\d_)?\d{1,3}\)/)).toEqual([]);
  });

  it('has no import cycle between modules', () => {
    const imports = new Map<string, Set<string>>();
    for (const file of ofApi.filter((file) => file.startsWith('api/src/modules/'))) {
      const module = file.split('/')[3]!;
      const imported = [...read(file).matchAll(/from '\.\.\/([a-z-]+)\//g)].map(([, name]) => name!);
      imports.set(module, new Set([...(imports.get(module) ?? []), ...imported]));
    }
    // Repeatedly removes modules without remaining imports: the rest is in a cycle, or imports one.
    for (let size = -1; size !== imports.size;) {
      size = imports.size;
      for (const [module, imported] of imports)
        if (![...imported].some((name) => imports.has(name))) imports.delete(module);
    }
    expect([...imports.keys()]).toEqual([]);
  });

  it('writes transfers, balances, escrow and holds only in functions of api/sql', () => {
    const writes = /\b(insert into|update|delete from) (transfers|accounts)\b|\b(escrow|held|balance)_micros = /;
    // The exception: opening an account, which is empty.
    expect(matching(ofApi, writes)).toEqual(['api/src/modules/ledger/ledger.store.ts']);
    expect(read('api/src/modules/ledger/ledger.store.ts').match(new RegExp(writes, 'g'))).toEqual([
      'insert into accounts',
    ]);
  });

  it('creates money only where a gate, a fact of a chain or terms that passed the gate allow it', () => {
    // A new file here needs a policy: staff's operations are requests of approvals/gate.ts.
    expect(matching(ofApi, /\bsystemAccounts\b|\{ external, |\bbonus: \d+n/).sort()).toEqual([
      'api/src/modules/approvals/application.ts',
      'api/src/modules/approvals/waiver.service.ts',
      'api/src/modules/billing/ending.service.ts',
      'api/src/modules/invoices/credit.ts',
      'api/src/modules/invoices/reversal.ts',
      'api/src/modules/ledger/ledger.service.ts',
      'api/src/modules/referrals/levels.service.ts',
      'api/src/modules/referrals/referrals.service.ts',
      'api/src/modules/timeline/timeline.service.ts',
      'api/src/seed/seed.ts',
    ]);
    // Other ways to the account: by its id in SQL that posts.
    expect(matching(ofApi, /post_transfers\(/)).toEqual(['api/src/modules/ledger/ledger.store.ts']);
  });

  it('sets statement timeouts only where connections are created, and for searches', () => {
    // The driver's own timeout overrides a limit that it does not know about (`TransactionOptions`).
    const allowed = /\/(db|database-connection|search\.store)\.ts$/;
    expect(matching(ofApi, /statement_timeout/).filter((file) => !allowed.test(file))).toEqual([]);
  });

  it('has a section of the changelog for the version of package.json', () => {
    const [, newest] = /^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}$/m.exec(read('CHANGELOG.md')) ?? [];
    expect(newest).toBe((JSON.parse(read('package.json')) as { version: string }).version);
  });

  it('names files in its documents that exist, apart from those to create or to build', () => {
    const documents = files.filter((file) => file.endsWith('.md'));
    const named = documents.flatMap((document) =>
      [...read(document).matchAll(PATH_IN_TEXT)].map(([, file]) => `${document}: ${file!}`),
    );
    expect(named.length).toBeGreaterThan(100);
    const missing = named.filter((entry) => !fs.existsSync(path.join(root, entry.split(': ')[1]!)));
    expect(missing.filter((entry) => !/\/dist\/|\/NNNN_/.test(entry))).toEqual([]);
  });

  it('uses every code of the error catalogue', () => {
    const texts = programs.filter((file) => /^(api|gateway)\/src\//.test(file)).map(read);
    expect(errorCodes.filter((name) => !texts.some((text) => text.includes(use(name))))).toEqual([]);
  });

  it('names only programs and commands that exist', () => {
    const texts = programs.filter((file) => /^(api|gateway)\/src\//.test(file)).map(read);
    const commands = programs.filter((file) => file.startsWith('api/src/commands/')).map(read);
    const known = [...commands.join('\n').matchAll(/^ {2}name: '([\w-]+)',$/gm)].map(([, name]) => name);
    expect(known).toContain('restored');
    const named = texts.flatMap((text) => [...text.matchAll(/commandLine\('([\w-]+)'/g)]).map(([, name]) => name);
    expect(named.filter((name) => ![...known, 'api', 'worker', 'gateway'].includes(name))).toEqual([]);
  });

  it('knows in one place how operators call commands, and in one where npm was called', () => {
    const shipped = programs.filter((file) => /^(api\/src|bin|contract\/src|gateway\/src|tools)\//.test(file));
    const using = (name: string) =>
      shipped.filter((file) =>
        read(file)
          .replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
          .includes(name),
      );
    expect(using('npm run')).toEqual(['contract/src/command-line.ts']);
    expect(using('INIT_CWD')).toEqual(['api/src/commands/terminal.ts', 'bin/cellhop.mjs']);
  });

  it('has no number of a setting in its texts: each time, price and count in them is a constant of the code', () => {
    const texts = files.filter((file) => TEXTS.test(file));
    const numbers = texts.flatMap((file) =>
      [...read(file).matchAll(COUNTED)].map(([counted]) => `${path.basename(file)}: ${counted.replace(/\s/, ' ')}`),
    );
    expect([...new Set(numbers)].toSorted()).toEqual(CONSTANTS);
  });

  it('has no utility folders', () => {
    expect(code.filter((file) => /\/src\/(.*\/)?(utils?|helpers?|common|misc)(\.|\/)/.test(file))).toEqual([]);
  });
});
