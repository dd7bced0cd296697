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

async function ask(url: string, text: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<{ answer: unknown }>(`select ${text} as answer`)).rows[0]?.answer;
  } finally {
    await client.end();
  }
}

describe('embedded PostgreSQL', () => {
  it('starts one server for callers that come at once, and the last of them stops it', async () => {
    const dataDir = path.join(temporaryDirectory(), 'pg');
    const [first, second] = await Promise.all([start(dataDir), start(dataDir)]);
    expect(second.url).toBe(first.url);
    expect(new Set([first.reused, second.reused])).toEqual(new Set([false, true]));
    await first.stop();
    expect(await ask(second.url, '6 * 7')).toBe(42);
    await second.stop();
    await expect(ask(second.url, '1')).rejects.toThrow('ECONNREFUSED');
  });

  it('makes a password of its own and lets nobody in without it', async () => {
    const dataDir = path.join(temporaryDirectory(), 'pg');
    const { url } = await start(dataDir);
    const password = fs.readFileSync(`${dataDir}.password`, 'utf8');
    expect(password).toMatch(/^[0-9a-f]{48}$/);
    expect(fs.statSync(`${dataDir}.password`).mode & 0o777).toBe(0o600);
    await expect(ask(url.replace(password, 'guess'), '1')).rejects.toThrow('password authentication failed');
  });

  it('starts although postmaster.pid names a process that is not its server', async () => {
    const dataDir = path.join(temporaryDirectory(), 'pg');
    const first = await start(dataDir);
    await first.stop();
    const stale = [process.pid, first.directory, 0, first.port, '', '127.0.0.1', '', 'ready', ''].join('\n');
    fs.writeFileSync(path.join(first.directory, 'postmaster.pid'), stale, { mode: 0o600 });
    const { uid, gid } = fs.statSync(first.directory);
    fs.chownSync(path.join(first.directory, 'postmaster.pid'), uid, gid);
    const second = await start(dataDir);
    expect(second.reused).toBe(false);
    expect(await ask(second.url, '1')).toBe(1);
  });
});
