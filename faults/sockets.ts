/**
 * Keeps thousands of hostile sockets of all kinds open to a gateway with few file descriptors, from one address and from
 * 500, and judges whether the node lives, customers of other networks keep their speed, and everything is given back.
 *
 * Usage: npm run faults:sockets -- [seconds=60] [sockets=5000] [descriptors=1024] [addresses=500]
 */
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { WatchedProcess } from '../attacks/watched-process.ts';
import { ControlPlane, type FakeConnection } from '../gateway/test/control-plane.ts';
import { openClient, socks5Greeting, socks5Login, socks5Request } from '../gateway/test/gateway-harness.ts';
import { listenLocally } from '../gateway/test/sockets.ts';
import { freePort } from '../tools/ports.mjs';
import type { Order } from './hostile-sockets.ts';

const CUSTOMERS = 8;
/** 10 Mbit/s, as of a modem: the gateway, not this machine, decides whether it is reached. */
const CUSTOMER_BYTES_PER_MS = 1_250;
const PACE_MS = 20;
const NEW_TUNNEL_MS = 250;
const NEW_TUNNEL_TIMEOUT_MS = 5_000;
const BASELINE_SECONDS = 10;
const SPEED_SHARE_MIN = 0.5;
/** Of new tunnels of others. */
const FAILED_SHARE_MAX = 0.05;
const KEPT_MEGABYTES_MAX = 150;
const RECOVERY_MS = 30_000;
const BLOCK = Buffer.alloc(65_536, 'origin');

interface Node {
  readonly port: number;
  readonly pid: number;
  readonly metricsPort: number;
  exitCode(): number | null;
  stop(): void;
}

const settings = readArguments(process.argv.slice(2));
const violations: string[] = [];
for (const addresses of settings.crowds) await judge(addresses);
for (const violation of violations) console.error(violation);
console.log(`${violations.length} violations`);
process.exit(violations.length === 0 ? 0 : 1);

async function judge(count: number): Promise<void> {
  const title = `${settings.sockets} sockets from ${count} addresses`;
  const control = await new ControlPlane().start();
  const { port: originPort } = await listenLocally(serveOrigin);
  const node = await startNode(control);
  const customers = await Promise.all(
    Array.from({ length: CUSTOMERS }, (_, index) => download(node, control.sell(), originPort, index)),
  );
  const newTunnels = openTunnels(node, control.sell(), originPort);
  const watched = new WatchedProcess(node.pid);
  const before = await speed(customers, BASELINE_SECONDS);
  const [megabytes, sockets] = [watched.megabytes, watched.sockets];
  newTunnels.results.length = 0;
  const attackers = await startAttack({
    port: node.port,
    addresses: addressesOf(count),
    login: control.sell(),
    originPort,
    sockets: settings.sockets,
  });
  const during = await speed(customers, settings.seconds);
  const held = await readMetrics(node, 'gateway_client_sockets', 'gateway_tunnels', 'gateway_descriptors');
  const report = await attackers.stop();
  const { failed, medianMs } = newTunnels.stop();
  const isBack = await settle(() => watched.sockets <= sockets && watched.megabytes <= megabytes + KEPT_MEGABYTES_MAX);
  watched.stop();
  const complaints = [
    ...(node.exitCode() === null ? [] : [`the node ended with code ${node.exitCode()}`]),
    ...(during >= before * SPEED_SHARE_MIN
      ? []
      : [`others have ${Math.round((100 * during) / before)} % of their speed`]),
    ...(failed <= FAILED_SHARE_MAX ? [] : [`${Math.round(100 * failed)} % of the new tunnels of others failed`]),
    ...(isBack
      ? []
      : [`${watched.sockets} sockets and ${watched.megabytes} MB afterwards, ${sockets} and ${megabytes} before`]),
  ];
  violations.push(...complaints.map((complaint) => `${title}: ${complaint}`));
  console.log(
    `${title}: others ${inMegabits(before)} Mbit/s before, ${inMegabits(during)} during; new tunnels median ${medianMs} ms, ${(100 * failed).toFixed(1)} % failed`,
  );
  console.log(
    `  node: ${watched.peakMegabytes} MB at most, ${watched.megabytes} MB and ${watched.sockets} sockets afterwards (${sockets} before)`,
  );
  console.log(
    `  attacker: ${report.opened} opened, ${report.closedByServer} closed by the node, ${report.held} held at the end`,
  );
  for (const line of held) console.log(`  ${line}`);
  for (const customer of customers) customer.socket.destroy();
  node.stop();
  control.stop();
}

async function startNode(control: ControlPlane): Promise<Node> {
  const metricsPort = await freePort();
  const { url: controlUrl, token } = control;
  const program = fileURLToPath(new URL('../gateway/test/gateway-process.ts', import.meta.url));
  const child = spawn(
    'sh',
    ['-c', 'ulimit -n "$0" && exec "$@"', String(settings.descriptors), process.execPath, '--import', 'tsx', program],
    {
      env: { PATH: process.env['PATH'], GATEWAY_SETTINGS: JSON.stringify({ controlUrl, token, metricsPort }) },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  process.once('exit', () => child.kill('SIGKILL'));
  const started = { port: 0 };
  child.stdout.on('data', (chunk: Buffer) => {
    const text = chunk.toString();
    started.port ||= Number(/"port":(\d+),"relay"/.exec(text)?.[1] ?? 0);
    // Logins and clients that are refused are one line each.
    for (const line of text.split('\n')) if (/"level":[4-6]0/.test(line)) console.log(`  ${line}`);
  });
  while (started.port === 0 && child.exitCode === null) await pause(20);
  return {
    ...started,
    pid: child.pid!,
    metricsPort,
    exitCode: () => child.exitCode,
    stop: () => void child.kill('SIGKILL'),
  };
}

/** Paced for one that says `p`, without end for one that says `s`, a web page for a request; others are kept. */
function serveOrigin(socket: Socket): void {
  socket.on('end', () => socket.end());
  socket.once('data', (first: Buffer) => {
    const kind = String.fromCharCode(first[0] ?? 0);
    if (kind === 'G') socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    else if (kind === 'e') socket.end(first);
    else if (kind === 'p') pace(socket);
    else if (kind === 's') {
      const fill = () => {
        while (!socket.destroyed && socket.write(BLOCK));
      };
      socket.on('drain', fill);
      fill();
    }
  });
}

function pace(socket: Socket): void {
  const begunAt = performance.now();
  let sentBytes = 0;
  const timer = setInterval(() => {
    const dueBytes = (performance.now() - begunAt) * CUSTOMER_BYTES_PER_MS - sentBytes;
    // What the gateway does not take in time is speed that is lost.
    const sliceBytes = Math.min(Math.floor(dueBytes), BLOCK.length);
    sentBytes += dueBytes;
    if (socket.writableLength === 0) socket.write(BLOCK.subarray(0, sliceBytes));
  }, PACE_MS);
  socket.on('close', () => clearInterval(timer));
}

async function openTunnel(node: Node, login: FakeConnection, originPort: number, address: string): Promise<Socket> {
  const client = await openClient(node.port, address);
  client.socket.write(Buffer.concat([socks5Greeting, socks5Login(login), socks5Request('127.0.0.1', originPort)]));
  const answer = await client.take(14);
  if (answer[5] !== 0) throw new Error(`Reply ${answer[5]}`);
  client.socket.removeAllListeners('data');
  return client.socket;
}

async function download(node: Node, login: FakeConnection, originPort: number, index: number) {
  const socket = await openTunnel(node, login, originPort, `127.200.${index}.1`);
  const customer = { socket, receivedBytes: 0 };
  socket.on('data', (chunk: Buffer) => (customer.receivedBytes += chunk.length));
  socket.write('p');
  return customer;
}

/** @returns bytes per second of all together */
async function speed(customers: readonly { receivedBytes: number }[], seconds: number): Promise<number> {
  const received = () => customers.reduce((sum, { receivedBytes }) => sum + receivedBytes, 0);
  const [bytes, begunAt] = [received(), performance.now()];
  await pause(seconds * 1000);
  return ((received() - bytes) * 1000) / (performance.now() - begunAt);
}

/** A further customer, who opens one tunnel after the other. */
function openTunnels(node: Node, login: FakeConnection, originPort: number) {
  const results: (number | 'failed')[] = [];
  const timer = setInterval(() => {
    const begunAt = performance.now();
    const late = pause(NEW_TUNNEL_TIMEOUT_MS, 'late' as const, { ref: false });
    Promise.race([echo(), late]).then(
      (outcome) => results.push(outcome === 'late' ? 'failed' : performance.now() - begunAt),
      () => results.push('failed'),
    );
  }, NEW_TUNNEL_MS);
  const echo = async () => {
    const socket = await openTunnel(node, login, originPort, '127.201.0.1');
    const answered = once(socket, 'data');
    socket.write('e');
    await answered;
    socket.destroy();
  };
  const stop = () => {
    clearInterval(timer);
    const times = results.filter((result) => result !== 'failed').sort((one, other) => one - other);
    const failed = (results.length - times.length) / Math.max(1, results.length);
    return { failed, medianMs: Math.round(times[times.length >> 1] ?? 0) };
  };
  return { results, stop };
}

async function startAttack(order: Order) {
  const generator = fork(fileURLToPath(new URL('hostile-sockets.ts', import.meta.url)));
  await once(generator, 'message'); // It is ready.
  generator.send(order);
  return {
    stop: async () => {
      const reported = once(generator, 'message');
      generator.send('stop');
      const [report] = (await reported) as [{ opened: number; closedByServer: number; held: number }];
      return report;
    },
  };
}

/** The lines of these metrics; none if the node has gone. */
async function readMetrics({ metricsPort }: Node, ...names: string[]): Promise<string[]> {
  const response = await fetch(`http://127.0.0.1:${metricsPort}/metrics`).catch(() => undefined);
  const lines = ((await response?.text()) ?? '').split('\n');
  return lines.filter((line) => names.some((name) => line.startsWith(name)));
}

async function settle(isBack: () => boolean): Promise<boolean> {
  const deadline = performance.now() + RECOVERY_MS;
  while (!isBack() && performance.now() < deadline) await pause(500);
  return isBack();
}

function inMegabits(bytesPerSecond: number): number {
  return Math.round((bytesPerSecond * 8) / 1e6);
}

/** Each is a network of its own; customers are elsewhere. */
function addressesOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `127.${10 + Math.floor(index / 250)}.0.${1 + (index % 250)}`);
}

function readArguments(given: readonly string[]) {
  const values = new Map<string, number>();
  for (const argument of given) {
    const [, name, value] = /^(seconds|sockets|descriptors|addresses)=(\d+)$/.exec(argument) ?? [];
    if (name === undefined) {
      console.error(
        `"${argument}" is unknown: npm run faults:sockets -- [seconds=60] [sockets=5000] [descriptors=1024] [addresses=500]`,
      );
      process.exit(1);
    }
    values.set(name, Number(value));
  }
  const addresses = values.get('addresses');
  return {
    seconds: values.get('seconds') ?? 60,
    sockets: values.get('sockets') ?? 5_000,
    descriptors: values.get('descriptors') ?? 1_024,
    crowds: addresses === undefined ? [1, 500] : [addresses],
  };
}
