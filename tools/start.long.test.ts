/**
 * `npm start` as in a terminal: its parts survive each other, and Ctrl-C ends all of them.
 * @module-tag long
 */
import { signIn } from '@cellhop/contract/auth';
import { createClient } from '@cellhop/contract/client';
import { connect, type Connection, listConnections } from '@cellhop/contract/connections';
import { searchProxies } from '@cellhop/contract/proxies';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { socks5Connect } from '../gateway/test/gateway-harness.ts';
import { listenLocally, patternedBytes } from '../gateway/test/sockets.ts';
import { freePort } from './ports.mjs';
import { type Identity, isRunning } from './process-identity.mjs';
import { temporaryDirectory } from './temporary-directory.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CUSTOMER = { email: 'user@example.com', password: 'demo-password' };
const BYTES = 300_000;
/** A start that found a busy machine. */
const READY = { timeout: 280_000 };

interface Start {
  settings?: Record<string, string>;
  /** In a pseudoterminal, which util-linux opens. */
  hasTerminal?: boolean;
}

async function startInTerminal({ settings = {}, hasTerminal = false }: Start = {}) {
  const dataDir = temporaryDirectory();
  const [port, gatewayPort, mailSinkPort] = [await freePort(), await freePort(), await freePort()];
  const env = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    NODE_ENV: 'development',
    DATA_DIR: dataDir,
    PORT: String(port),
    GATEWAY_PORT: String(gatewayPort),
    MAIL_SINK_PORT: String(mailSinkPort),
    ...settings,
  };
  // A process group of its own, which receives Ctrl-C as that of a terminal does.
  const [program, args] = hasTerminal ? ['script', ['-qefc', 'npm start', '/dev/null']] : ['npm', ['start']];
  const command = spawn(program, args, { cwd: ROOT, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  const exited = once(command, 'exit').then(([code]) => code as number | null);
  let output = '';
  for (const stream of [command.stdout, command.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const readParts = () =>
    JSON.parse(fs.readFileSync(path.join(dataDir, 'run/all.children.json'), 'utf8')) as Identity[];
  const pressCtrlC = async () => {
    if (hasTerminal) command.stdin.write('\u0003');
    else process.kill(-command.pid!, 'SIGINT');
    return exited;
  };
  onTestFinished(async () => {
    if (command.exitCode === null) await pressCtrlC();
  });
  await expect.poll(() => output, READY).toContain('Ctrl-C stops everything.');
  const url = `http://127.0.0.1:${port}`;
  return { dataDir, url, port, gatewayPort, output: () => output, readParts, pressCtrlC };
}

async function buyProxy(url: string) {
  const { data } = await createClient({ baseUrl: url })(signIn, { body: CUSTOMER });
  const call = createClient({ baseUrl: url, headers: () => ({ authorization: `Bearer ${data.accessToken}` }) });
  const { data: offers } = await call(searchProxies, { query: {} });
  const { id, price } = offers[0]!;
  const { data: connection } = await call(connect, { body: { id, price } });
  const readUsedBytes = async () => {
    const { data: connections } = await call(listConnections, { query: { size: 100 } });
    return connections.find((each) => each.id === connection.id)!.trafficUsed * 1024;
  };
  return { connection: connection as Connection & { password: string }, readUsedBytes };
}

/** @returns the process that listens on a port, of those that npm start has started */
function findListening(port: number, parts: readonly Identity[]): Identity {
  const line = fs
    .readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .find((each) => each.includes(`:${port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 0A`));
  const inode = line!.trim().split(/\s+/)[9];
  return parts.find(({ pid }) =>
    fs.readdirSync(`/proc/${pid}/fd`).some((descriptor) => {
      try {
        return fs.readlinkSync(`/proc/${pid}/fd/${descriptor}`) === `socket:[${inode}]`;
      } catch {
        return false; // It was closed meanwhile.
      }
    }),
  )!;
}

test.runIf(process.platform === 'linux')(
  'a killed API is restarted alone, the totals of the gateway arrive, and Ctrl-C leaves no process',
  async () => {
    const { dataDir, url, port, gatewayPort, output, readParts, pressCtrlC } = await startInTerminal();
    const { connection, readUsedBytes } = await buyProxy(url);
    const echo = await listenLocally((socket) => socket.pipe(socket));
    onTestFinished(() => void echo.server.close());
    const { client } = await socks5Connect({ port: gatewayPort }, connection, '127.0.0.1', echo.port);
    const send = async () => {
      client.socket.write(patternedBytes(BYTES));
      await client.take(BYTES);
    };
    await send();

    const before = readParts().filter(isRunning);
    const api = findListening(port, before);
    process.kill(api.pid, 'SIGKILL');
    // While the API is away, the tunnel goes on.
    await send();
    await expect.poll(output).toContain('The api ended with code 137; it is started again in 1 s.');
    await send();
    await expect.poll(() => readUsedBytes().catch(() => undefined), READY).toBe(2 * 3 * BYTES);
    const after = readParts().filter(isRunning);
    expect(after).toHaveLength(before.length);
    expect(before.filter((part) => !isRunning(part))).toEqual([api]);

    await send();
    client.socket.end();
    await client.rest();
    expect(await pressCtrlC()).toBe(0);
    expect([...before, ...after].filter(isRunning)).toEqual([]);
    expect(fs.existsSync(path.join(dataDir, 'pg/postmaster.pid'))).toBe(false);
  },
);

test.runIf(process.platform === 'linux')('a killed database is started again, and the API is ready again', async () => {
  const { dataDir, url, output, pressCtrlC } = await startInTerminal();
  const isReady = async () => (await fetch(`${url}/health/ready`)).status === 200;
  process.kill(Number.parseInt(fs.readFileSync(path.join(dataDir, 'pg/postmaster.pid'), 'utf8'), 10), 'SIGKILL');
  await expect.poll(output, READY).toContain('The database has ended; it is started again in 1 s.');
  await expect.poll(isReady, READY).toBe(true);
  expect(await pressCtrlC()).toBe(0);
  expect(fs.existsSync(path.join(dataDir, 'pg/postmaster.pid'))).toBe(false);
});

/** Colours, and the progress of a build that overwrites itself. */
// oxlint-disable-next-line no-control-regex
const CONTROLS = /\u001B\[[\d;?]*[A-Za-z]/g;

test.runIf(process.platform === 'linux')(
  'in a terminal, a start of the large demo has readable lines, and the sign-ins are the last',
  async () => {
    const { url, output, pressCtrlC } = await startInTerminal({
      settings: { DEMO_DATA: 'large', TERM: 'xterm' },
      hasTerminal: true,
    });
    const mailbox = await fetch(`${url}/dev/mailbox`, { headers: { accept: 'application/json' } });
    expect(await mailbox.json()).toEqual([]);
    // The demo's customer has a history.
    const { data } = await createClient({ baseUrl: url })(signIn, { body: CUSTOMER });
    const call = createClient({ baseUrl: url, headers: () => ({ authorization: `Bearer ${data.accessToken}` }) });
    expect((await call(listConnections, { query: { size: 100 } })).data.length).toBeGreaterThan(10);
    const text = output().replaceAll(CONTROLS, '');
    expect(text).not.toMatch(/ERROR|FATAL/);
    expect(text.split(/[\r\n]+/).filter((line) => line.length > 300)).toEqual([]);
    expect(text.split('Ctrl-C stops everything.')[1]?.trim()).toBe('');
    expect(text).toContain('Sign in        user@example.com');
    await pressCtrlC();
  },
  600_000,
);
