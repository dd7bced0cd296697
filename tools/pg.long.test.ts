/**
 * The embedded PostgreSQL that everything else runs on: each test creates clusters of its own, which takes seconds.
 * @module-tag long
 */
import fs from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startPostgres } from './pg.mjs';
import { temporaryDirectory } from './temporary-directory.ts';

async function start(dataDir: string) {
  const server = await startPostgres({ dataDir, durable: false });
  onTestFinished(() => server.stop());
  return server;
}

async function select(url: string, text: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<{ value: unknown }>(`select ${text} as value`)).rows[0]?.value;
  } finally {
    await client.end();
  }
}

describe('embedded PostgreSQL', () => {
  it('starts one server for concurrent callers, and the last one stops it', async () => {
    const dataDir = path.join(temporaryDirectory(), 'pg');
    const [first, second] = await Promise.all([start(dataDir), start(dataDir)]);
    expect(second.url).toBe(first.url);
    expect(new Set([first.reused, second.reused])).toEqual(new Set([false, true]));
    await first.stop();
    expect(await select(second.url, '6 * 7')).toBe(42);
    await second.stop();
    await expect(select(second.url, '1')).rejects.toThrow('ECONNREFUSED');
  });

  it('that is killed is started again on its port, as often as it is killed', async () => {
    const dataDir = path.join(temporaryDirectory(), 'pg');
    const { url, directory, keepRunning } = await start(dataDir);
    const lines: string[] = [];
    const end = keepRunning((line) => lines.push(line));
    onTestFinished(end);
    const readPid = () => Number.parseInt(fs.readFileSync(path.join(directory, 'postmaster.pid'), 'utf8'), 10);
    for (let time = 0; time < 2; time += 1) {
      const killed = readPid();
      process.kill(killed, 'SIGKILL');
      const isBack = async () => (await select(url, '1')) === 1 && readPid() !== killed;
      await expect.poll(() => isBack().catch(() => false)).toBe(true);
    }
    // The first may have been killed before it was looked at.
    expect(lines).toContain('The database has ended; it is started again in 1 s.');
  });

  it('generates a password and requires it', async () => {
    const dataDir = path.join(temporaryDirectory(), 'pg');
    const { url } = await start(dataDir);
    const password = fs.readFileSync(`${dataDir}.password`, 'utf8');
    expect(password).toMatch(/^[0-9a-f]{48}$/);
    expect(fs.statSync(`${dataDir}.password`).mode & 0o777).toBe(0o600);
    await expect(select(url.replace(password, 'guess'), '1')).rejects.toThrow('password authentication failed');
  });

  it('starts even if postmaster.pid names a process that is not its server', async () => {
    const dataDir = path.join(temporaryDirectory(), 'pg');
    const first = await start(dataDir);
    await first.stop();
    const stale = [process.pid, first.directory, 0, first.port, '', '127.0.0.1', '', 'ready', ''].join('\n');
    fs.writeFileSync(path.join(first.directory, 'postmaster.pid'), stale, { mode: 0o600 });
    const { uid, gid } = fs.statSync(first.directory);
    fs.chownSync(path.join(first.directory, 'postmaster.pid'), uid, gid);
    const second = await start(dataDir);
    expect(second.reused).toBe(false);
    expect(await select(second.url, '1')).toBe(1);
  });
});
