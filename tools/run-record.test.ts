import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { identify } from './process-identity.mjs';
import { claimRun } from './run-record.mjs';
import { temporaryDirectory } from './temporary-directory.ts';

function startSleeper(): ChildProcess & { pid: number } {
  const sleeper = spawn('sleep', ['60']);
  onTestFinished(() => void sleeper.kill('SIGKILL'));
  return sleeper as ChildProcess & { pid: number };
}

/** Creates the files that a killed run leaves behind: its lock and the list of its child processes. */
function leaveKilledRun(dataDir: string, children: object[]): void {
  const directory = path.join(dataDir, 'run');
  fs.mkdirSync(directory, { recursive: true });
  fs.writeFileSync(path.join(directory, 'all.lock'), JSON.stringify({ pid: spawnSync('true').pid, startedAt: '1' }));
  fs.writeFileSync(path.join(directory, 'all.children.json'), JSON.stringify(children));
}

describe('a run', () => {
  it('refuses a second run on the same data directory', async () => {
    const dataDir = temporaryDirectory();
    const run = await claimRun(dataDir, 'all');
    await expect(claimRun(dataDir, 'all')).rejects.toThrow(`"npm start" already runs on ${dataDir}`);
    await expect(claimRun(dataDir, 'worker')).rejects.toThrow('"npm start" already runs');
    run.release();
    (await claimRun(dataDir, 'all')).release();
  });

  it('of one part allows the other parts, but not the whole product', async () => {
    const dataDir = temporaryDirectory();
    const api = await claimRun(dataDir, 'api');
    const worker = await claimRun(dataDir, 'worker');
    await expect(claimRun(dataDir, 'all')).rejects.toThrow('"npm start -- api" already runs');
    worker.release();
    api.release();
    expect(fs.readdirSync(path.join(dataDir, 'run'))).toEqual([]);
  });

  it('ends the children that a killed run left behind', async () => {
    const dataDir = temporaryDirectory();
    const orphan = startSleeper();
    leaveKilledRun(dataDir, [identify(orphan.pid)]);
    const gone = once(orphan, 'exit');
    (await claimRun(dataDir, 'all')).release();
    await gone;
    expect(orphan.signalCode).toBe('SIGTERM');
  });

  it('spares another program that has the process id of an old child', async () => {
    const dataDir = temporaryDirectory();
    const other = startSleeper();
    leaveKilledRun(dataDir, [{ pid: other.pid, startedAt: '1' }]);
    (await claimRun(dataDir, 'all')).release();
    expect(other.kill(0)).toBe(true);
    expect(other.signalCode).toBeNull();
  });
});
