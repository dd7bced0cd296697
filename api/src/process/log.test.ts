import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createLog } from './log.ts';

function logged(fields: object): Record<string, unknown> {
  let line = '';
  createLog('test', 'info', false, { write: (text) => void (line = text) }).info(fields, 'message');
  return JSON.parse(line) as Record<string, unknown>;
}

test.each([
  { password: 'secret' },
  { body: { password: 'secret' } },
  { body: { code: 'secret' } },
  { query: { code: 'secret' } },
  { req: { body: { code: 'secret' } } },
  { req: { query: { code: 'secret' } } },
  { body: { secondFactorCode: 'secret' } },
  { tokens: { accessToken: 'secret', refreshToken: 'secret' } },
  { req: { headers: { authorization: 'secret' } } },
])('hides %j', (fields) => {
  expect(JSON.stringify(logged(fields))).not.toContain('secret');
});

test('keeps the code of an error', () => {
  const err = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  expect(logged({ err })).toMatchObject({ err: { code: 'ECONNREFUSED', message: 'connect ECONNREFUSED' } });
});

/** Every write to it fails with ENOSPC. */
const FULL_DISK = '/dev/full';

test.skipIf(!existsSync(FULL_DISK))('a full disk under the log neither blocks nor ends the program', async () => {
  const program = `
    import { setTimeout as pause } from 'node:timers/promises';
    import { createLog } from ${JSON.stringify(new URL('log.ts', import.meta.url).href)};
    const log = createLog('test', 'info', false);
    for (let line = 0; line < 20; line++) {
      log.info('a line that is lost');
      await pause(1);
    }
    process.exit(7);
  `;
  const output = openSync(FULL_DISK, 'w');
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program], {
    stdio: ['ignore', output, 'inherit'],
    timeout: 60_000,
  });
  closeSync(output);
  expect(await once(child, 'exit')).toEqual([7, null]);
});
