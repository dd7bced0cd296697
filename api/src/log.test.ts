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

test('tells the code of an error, which is what one looks for', () => {
  const err = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  expect(logged({ err })).toMatchObject({ err: { code: 'ECONNREFUSED', message: 'connect ECONNREFUSED' } });
});
