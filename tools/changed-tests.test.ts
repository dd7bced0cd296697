import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findTests, listChanged, readCode } from './changed-tests.mjs';
import { temporaryDirectory } from './temporary-directory.ts';

const code = new Map(
  Object.entries({
    'api/src/modules/tickets/tickets.store.ts': 'select open_ticket($1)',
    'api/src/modules/tickets/tickets.test.ts': `import { startTestApp } from '../../../test/test-app.ts';`,
    'api/src/modules/faq/faq.test.ts': `import { listFaq } from '@cellhop/contract/faq';`,
    'api/test/product/answers.test.ts': `import { answer } from '../../src/modules/tickets/tickets.store.ts';`,
    'tools/tidy.test.ts': '',
  }),
);

describe('the tests of a change', () => {
  it.each([
    [
      'in a module: its tests, and those that import the file',
      'api/src/modules/tickets/tickets.store.ts',
      ['api/src/modules/tickets/tickets.test.ts', 'api/test/product/answers.test.ts'],
    ],
    ['of the contract: those that import it', 'contract/src/faq.ts', ['api/src/modules/faq/faq.test.ts']],
    [
      'of a function of the database: those of the files that name it',
      'api/sql/open_ticket.sql',
      ['api/src/modules/tickets/tickets.test.ts', 'api/test/product/answers.test.ts'],
    ],
    ['of a document: none', 'README.md', []],
  ])('%s', (_, changed, tests) => {
    expect(findTests(code, [changed])).toEqual([...tests, 'tools/tidy.test.ts']);
  });

  it('is what the branch has committed, what it has not, and new files', () => {
    const root = temporaryDirectory();
    const git = (...args: string[]) =>
      spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: root });
    const write = (file: string, text: string) => fs.writeFileSync(path.join(root, file), text);
    git('init', '--initial-branch=main');
    for (const file of ['same.ts', 'committed.ts', 'edited.ts']) write(file, 'one');
    git('add', '.');
    git('commit', '-m', 'first');
    git('switch', '-c', 'branch');
    write('committed.ts', 'two');
    git('commit', '-am', 'second');
    write('edited.ts', 'two');
    write('new.ts', 'two');
    expect(listChanged(root)).toEqual(['committed.ts', 'edited.ts', 'new.ts']);
    expect([...readCode(root).keys()].sort()).toEqual(['committed.ts', 'edited.ts', 'new.ts', 'same.ts']);
  });
});
