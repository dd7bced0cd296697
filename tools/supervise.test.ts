/** @module-tag thorough */
import { expect, test } from 'vitest';
import fs from 'node:fs';
import path from 'node:path';
import { startChild, type Child } from './child-process.mjs';
import { supervise } from './supervise.mjs';
import { temporaryDirectory } from './temporary-directory.ts';

function script(text: string): string {
  const file = path.join(temporaryDirectory(), 'program.mjs');
  fs.writeFileSync(file, text);
  return file;
}

test('restarts a program that ends by itself, with growing pauses', async () => {
  const file = script('process.exit(3)');
  const ends: [number, number][] = [];
  let last: Child | undefined;
  const stop = supervise(() => (last = startChild([process.execPath, file], {})), {
    firstDelayMs: 10,
    onEnd: (...end) => ends.push(end),
  });
  await expect.poll(() => ends.length).toBeGreaterThanOrEqual(7);
  stop();
  await last!.exited;
  expect(ends.slice(0, 7)).toEqual([1, 2, 4, 8, 16, 32, 64].map((factor) => [3, 10 * factor]));
});

test('restarts a program that was killed from outside, but not one that was ended on purpose', async () => {
  const file = script('setInterval(() => {}, 1000)');
  const children: Child[] = [];
  const codes: number[] = [];
  const launch = () => {
    const child = startChild([process.execPath, file], {});
    children.push(child);
    return child;
  };
  supervise(launch, { firstDelayMs: 10, onEnd: (code) => codes.push(code) });
  process.kill(children[0]!.pid, 'SIGKILL');
  await expect.poll(() => children.length).toBe(2);
  expect(codes).toEqual([137]);
  await children[1]!.kill();
  expect([children.length, codes.length]).toEqual([2, 1]);
});

test('starts nothing after the supervision has ended, even during a pause', async () => {
  const file = script('process.exit(1)');
  let starts = 0;
  let ends = 0;
  const stop = supervise(
    () => {
      starts += 1;
      return startChild([process.execPath, file], {});
    },
    { firstDelayMs: 60_000, onEnd: () => (ends += 1) },
  );
  await expect.poll(() => ends).toBe(1);
  stop();
  expect(starts).toBe(1);
});
