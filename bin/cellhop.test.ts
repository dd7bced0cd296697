import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { commandLine } from '@cellhop/contract/command-line';
import { temporaryDirectory } from '../tools/temporary-directory.ts';

const binary = path.join(import.meta.dirname, 'cellhop');
function run([program, ...values]: [string, ...string[]], environment: NodeJS.ProcessEnv = {}) {
  const env = { PATH: process.env['PATH'], ...environment };
  const { status, stdout, stderr } = spawnSync(program, values, { env, encoding: 'utf8' });
  return { code: status, output: stdout, errors: stderr };
}

test('says its version, also through a link from another folder', () => {
  const link = path.join(temporaryDirectory(), 'cellhop');
  fs.symlinkSync(binary, link);
  const { version } = JSON.parse(fs.readFileSync(path.join(import.meta.dirname, '../package.json'), 'utf8')) as {
    version: string;
  };
  const expected = `cellhop ${version} (a checkout, ${process.platform}-${process.arch}, Node.js ${process.versions.node})\n`;
  expect(run([link, 'version'])).toEqual({ code: 0, output: expected, errors: '' });
});

test.each([
  [['--env'], {}, 2, '--env needs a file.\n'],
  [['--verbose', 'api'], {}, 2, '--verbose is no option of cellhop.\n'],
  [['api', 'now'], {}, 2, 'cellhop api takes no arguments.\n'],
  [['--env', '/nonexistent', 'api'], {}, 78, 'The settings file /nonexistent does not exist.\n'],
  [
    ['--env', '/dev/null', 'api'],
    { PAY_BTC_XPUBB: 'x' },
    78,
    'PAY_BTC_XPUBB is not a setting: is PAY_BTC_XPUB meant?\n',
  ],
])('%j with %j ends with %i and a sentence', (values, environment, code, errors) => {
  expect(run([process.execPath, `${binary}.mjs`, ...values], environment)).toEqual({ code, output: '', errors });
});

const lines = () => [commandLine('payments', 'resume', 'bitcoin'), commandLine('migrate'), commandLine('restored')];

test('texts name commands as the operator has called the program', () => {
  expect(lines()).toEqual(['npm run payments -- resume bitcoin', 'npm start', 'npm run restored']);
  process.env['CELLHOP_COMMAND'] = 'cellhop';
  try {
    expect(lines()).toEqual(['cellhop payments resume bitcoin', 'cellhop migrate', 'cellhop restored']);
  } finally {
    delete process.env['CELLHOP_COMMAND'];
  }
});
