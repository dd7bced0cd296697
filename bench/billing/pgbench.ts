import { spawnSync } from 'node:child_process';

/** Runs pgbench's built-in TPC-B script. @returns transactions per second; undefined if pgbench is not installed */
export function runPgbench(databaseUrl: string, clients: number, seconds: number): number | undefined {
  const { status, stdout, error } = spawnSync(
    'pgbench',
    ['-n', '-b', 'tpcb-like', '-c', String(clients), '-j', '2', '-T', String(seconds), databaseUrl],
    { encoding: 'utf8' },
  );
  if (error || status !== 0) return undefined;
  return Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
}

export function preparePgbench(databaseUrl: string): boolean {
  const { status, error } = spawnSync('pgbench', ['-i', '-q', '-s', '10', databaseUrl], { encoding: 'utf8' });
  return !error && status === 0;
}
