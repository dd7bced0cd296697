import fs from 'node:fs';
import { expect, test } from 'vitest';
import { releases } from './releases.ts';

const readRoot = (file: string): unknown =>
  JSON.parse(fs.readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8'));

test('the oldest release that may run is the last one before this one, or before the next', () => {
  const { version } = readRoot('package.json') as { version: string };
  const listed = (readRoot('releases.json') as { version: string }[]).map((each) => each.version);
  expect(releases.oldest).toBe(listed.findLast((each) => each !== releases.own));
  expect([releases.own, releases.oldest]).toContain(version);
});
