import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tryLock, waitForLock } from './lock.mjs';
import { identify } from './process-identity.mjs';
import { temporaryDirectory } from './temporary-directory.ts';

const deadPid = () => spawnSync('true').pid;

function lockFile(holder?: object): string {
  const file = path.join(temporaryDirectory(), 'it.lock');
  if (holder) fs.writeFileSync(file, JSON.stringify(holder));
  return file;
}

describe('lock', () => {
  it('has one holder at a time and identifies it', () => {
    const file = lockFile();
    const first = tryLock(file);
    expect(first.lock).toBeDefined();
    expect(tryLock(file).holder).toEqual(identify());
    first.lock?.release();
    expect(tryLock(file).lock).toBeDefined();
  });

  it('passes from a holder that has ended', () => {
    expect(tryLock(lockFile({ pid: deadPid(), startedAt: '1' })).lock).toBeDefined();
  });

  it('passes on when the process id belongs to another program by now', () => {
    expect(tryLock(lockFile({ pid: process.pid, startedAt: '1' })).lock).toBeDefined();
  });

  it('passes on when the file is broken', () => {
    const file = lockFile();
    fs.writeFileSync(file, '');
    expect(tryLock(file).lock).toBeDefined();
  });

  it('gives up after a timeout with an error that names the holder', async () => {
    const sleeper = spawn('sleep', ['60']);
    onTestFinished(() => void sleeper.kill());
    const file = lockFile(identify(sleeper.pid));
    await expect(waitForLock(file, { what: 'another start', timeoutMs: 60 })).rejects.toThrow(
      `another start (process ${sleeper.pid}) has not ended`,
    );
  });

  it('admits waiting callers one after the other', async () => {
    const file = lockFile();
    let inside = 0;
    const visits = Array.from({ length: 5 }, async () => {
      const lock = await waitForLock(file, { what: 'a visit' });
      inside += 1;
      expect(inside).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
      lock.release();
    });
    await Promise.all(visits);
    expect(fs.readdirSync(path.dirname(file))).toEqual([]);
  });
});
