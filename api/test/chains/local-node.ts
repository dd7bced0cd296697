/** Real nodes on this machine, started for one test file and ended by their process id. */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const START_TIMEOUT_MS = 30_000;
const END_TIMEOUT_MS = 10_000;
const POLL_INTERVAL_MS = 50;

export interface LocalNode {
  end(): Promise<void>;
}

/**
 * @param isReady tried until it no longer throws
 * @throws Error with the node's output if it ends or is not ready in time
 */
export async function startNode(
  { command, args, env }: { command: string; args: string[]; env?: NodeJS.ProcessEnv },
  isReady: () => Promise<unknown>,
): Promise<LocalNode> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  let output = '';
  const keep = (chunk: Buffer) => (output = (output + chunk.toString()).slice(-2000));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  let failure: Error | undefined;
  child.once('error', (error) => (failure = error));
  // A failed test must not leave a process behind.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const end = async () => {
    process.removeListener('exit', kill);
    await endProcess(child);
  };
  try {
    await waitFor(`${path.basename(command)} to start`, START_TIMEOUT_MS, async () => {
      if (failure || child.exitCode !== null) throw new NodeEnded(`${command} ended: ${failure?.message ?? output}`);
      await isReady();
    });
  } catch (error) {
    await end();
    throw error;
  }
  return { end };
}

class NodeEnded extends Error {}

/** Repeats a call until it no longer throws: for work that a node does in the background. */
export async function waitFor<T>(what: string, timeoutMs: number, attempt: () => Promise<T>): Promise<T> {
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof NodeEnded) throw error;
      if (performance.now() > deadlineMs) throw new Error(`Waited ${timeoutMs} ms for ${what}`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    }
  }
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), END_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
}

/** @throws Error if the tests were not started by the runner, which installs the binaries */
export function binary(
  setting:
    | 'ANVIL'
    | 'LITECOIND'
    | 'BCOIN'
    | 'ELECTRUM'
    | 'TRONWEB'
    | 'CADDY'
    | 'NGINX'
    | 'OPENSSL'
    | 'SYSTEMD_ANALYZE'
    | 'DEBIAN_13',
): string {
  const file = process.env[setting];
  if (file && fs.existsSync(file)) return file;
  throw new Error(`${setting} is not the path of a program: run these tests with "npm run test:interop".`);
}

export function nodeDirectory(): { directory: string; remove: () => void } {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'cellhop-node-'));
  return { directory, remove: () => fs.rmSync(directory, { recursive: true, force: true }) };
}
