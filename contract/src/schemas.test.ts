import { expect, test } from 'vitest';
import { z } from 'zod';
import { numberInUrl } from './schemas.ts';

const schema = numberInUrl(z.number().min(0)).optional();

test.each([
  ['0', 0],
  ['1234.5', 1234.5],
  [7, 7],
  [undefined, undefined],
])('a URL may contain the number %j', (text, value) => {
  expect(schema.parse(text)).toBe(value);
});

test.each(['', ' 5', '1e3', '0x10', '1,5', '-1', 'Infinity', '9'.repeat(400), ['1', '2']])(
  '%j in a URL is no number',
  (text) => {
    expect(schema.safeParse(text).success).toBe(false);
  },
);
