/** The programs of PostgreSQL and age that backups run. Secrets travel in their environment, because other users see arguments. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';

const SAID_MAX = 2000;

/** @param folder of the program; undefined: it is looked for on PATH @throws Error with a sentence if it is missing */
export async function findProgram(name: string, folder: string | undefined): Promise<string> {
  const folders = folder === undefined ? (process.env['PATH'] ?? '').split(path.delimiter) : [folder];
  for (const each of folders) {
    const file = path.join(each, name);
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  const advice =
    name === 'age'
      ? 'install age'
      : 'install the client programs of PostgreSQL, or set POSTGRES_PROGRAMS to their folder';
  throw new Error(`${name} was not found ${folder === undefined ? 'on PATH' : `in ${folder}`}: ${advice}.`);
}

/** How libpq finds the database: https://www.postgresql.org/docs/current/libpq-envars.html */
export function connectionVariables(databaseUrl: string): Record<string, string> {
  const { hostname, port, username, password, pathname, searchParams } = new URL(databaseUrl);
  const variables = {
    PGHOST: searchParams.get('host') ?? decodeURIComponent(hostname),
    PGPORT: searchParams.get('port') ?? port,
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
    PGSSLMODE: searchParams.get('sslmode') ?? '',
    PGSSLROOTCERT: searchParams.get('sslrootcert') ?? '',
  };
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
}

interface Running {
  child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Rejects with what it has said if it fails. */
  ended: Promise<void>;
}

export function run(file: string, args: readonly string[], variables: Record<string, string> = {}): Running {
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...variables } });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-SAID_MAX)));
  // The end of the process says why; a closed pipe says nothing more.
  child.stdin.on('error', () => {});
  const ended = new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve();
      else
        reject(
          new Error(`${path.basename(file)} failed (${signal ?? `code ${code}`}): ${said.trim() || 'it said nothing'}`),
        );
    });
  });
  // It is awaited after the pipes, which may reject first.
  ended.catch(() => {});
  return { child, ended };
}
