/**
 * Questions per second on a DNS port, compared with Debian's dnsmasq as a forwarder without a cache. Both ask the same name server,
 * another dnsmasq with fixed answers. The load is dnsperf. Needs the Debian packages dnsmasq-base and dnsperf.
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DnsClient, freeDnsPort } from '../../gateway/test/dns-client.ts';
import { question } from '../../gateway/test/dns-messages.ts';
import { socks5Connect } from '../../gateway/test/gateway-harness.ts';
import { freePort } from '../../tools/ports.mjs';
import { build, cpuSeconds, killAll, OTHER_CORE, pinToCore, PROXY_CORE, start } from './processes.ts';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 7);
const STEP_SECONDS = 3;
const IN_FLIGHT = 100;
const CLIENTS = 8;
const NAMES = 1_000;
const RATIO_MIN = 0.5;
const LOAD_SHARE_MAX = 0.8;
const run = promisify(execFile);
const directory = mkdtempSync(join(tmpdir(), 'bench-dns-'));

interface Peer {
  readonly name: 'gateway' | 'dnsmasq';
  readonly port: number;
  readonly processId: number | undefined;
}

interface Sample {
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
  /** Utilisation of the load generator's core by the load generator. */
  readonly loadShare: number;
}

try {
  await main();
} finally {
  killAll();
  rmSync(directory, { recursive: true });
}
process.exit();

async function main(): Promise<void> {
  const missing = ['/usr/sbin/dnsmasq', '/usr/bin/dnsperf'].filter((file) => !existsSync(file));
  if (missing.length > 0) throw new Error(`Not installed: ${missing.join(', ')} (Debian dnsmasq-base, dnsperf)`);
  const names = Array.from({ length: NAMES }, (_, index) => `name-${index}.bench.test A\n`);
  writeFileSync(join(directory, 'names'), names.join(''));
  const upstream = await startDnsmasq(OTHER_CORE, '--address=/bench.test/192.0.2.7');
  const forwarder = await startDnsmasq(PROXY_CORE, `--server=127.0.0.1#${upstream.port}`);
  const peers: Peer[] = [await startGateway(upstream.port), { name: 'dnsmasq', ...forwarder }];
  const rounds: Record<Peer['name'], Sample>[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const order = round % 2 === 0 ? peers : peers.toReversed();
    const samples = new Map<Peer['name'], Sample>();
    for (const peer of order) samples.set(peer.name, await measure(peer));
    // The first round is a warm-up.
    if (round > 0) rounds.push({ gateway: samples.get('gateway')!, dnsmasq: samples.get('dnsmasq')! });
  }
  report(rounds);
}

async function startDnsmasq(core: string, option: string): Promise<{ port: number; processId: number | undefined }> {
  const port = await freeDnsPort();
  const options = ['--keep-in-foreground', '--conf-file=/dev/null', '--no-resolv', '--no-hosts', '--bind-interfaces'];
  const address = ['--listen-address=127.0.0.1', `--port=${port}`, '--cache-size=0', '--dns-forward-max=10000'];
  const files = [`--pid-file=${join(directory, String(port))}`, '--user='];
  const child = spawn('/usr/sbin/dnsmasq', [...options, ...address, ...files, option], { stdio: 'inherit' });
  pinToCore(child, core);
  await untilAnswering(port);
  return { port, processId: child.pid };
}

async function startGateway(upstreamPort: number): Promise<Peer> {
  const dnsPort = await freeDnsPort();
  build('gateway-peer', 'control-peer');
  const control = await start<{ url: string; token: string; username: string; password: string }>(
    'control-peer',
    OTHER_CORE,
    { DNS_PORT: String(dnsPort) },
  );
  const { url, token, ...credentials } = control.ready;
  const gateway = await start<{ port: number }>('gateway-peer', PROXY_CORE, {
    CONTROL_URL: url,
    CONTROL_TOKEN: token,
    NAME_SERVER: `127.0.0.1:${upstreamPort}`,
  });
  // Only the login matters: nothing has to listen on the destination.
  await socks5Connect(gateway.ready, credentials, '127.0.0.1', await freePort());
  await untilAnswering(dnsPort);
  return { name: 'gateway', port: dnsPort, processId: gateway.processId };
}

async function untilAnswering(port: number): Promise<void> {
  const client = await DnsClient.open(port);
  await client.ask(question('ready.bench.test'), 100);
  client.close();
}

async function measure({ port, processId }: Peer): Promise<Sample> {
  const options = ['-s', '127.0.0.1', '-p', String(port), '-d', join(directory, 'names')];
  const load = ['-l', String(STEP_SECONDS), '-q', String(IN_FLIGHT), '-c', String(CLIENTS), '-T', '1'];
  const pin = availableParallelism() < 2 ? [] : ['taskset', '-c', OTHER_CORE];
  const before = cpuSeconds(processId);
  const [command = '', ...rest] = [...pin, '/usr/bin/bash', '-c', 'time dnsperf "$@"', 'dnsperf', ...options, ...load];
  const { stdout, stderr } = await run(command, rest, { env: { ...process.env, TIMEFORMAT: 'cpu %U %S' } });
  assertWhole(stdout);
  const answers = numberAfter(stdout, /Queries completed:\s+(\d+)/);
  const [user, system] = [numberAfter(stderr, /cpu ([\d.]+)/), numberAfter(stderr, /cpu [\d.]+ ([\d.]+)/)];
  return {
    perSecond: numberAfter(stdout, /Queries per second:\s+([\d.]+)/),
    cpuMicroseconds: ((cpuSeconds(processId) - before) / answers) * 1e6,
    loadShare: (user + system) / STEP_SECONDS,
  };
}

/** Discards runs with lost questions or errors. */
function assertWhole(output: string): void {
  const [lost, sent] = [numberAfter(output, /Queries lost:\s+(\d+)/), numberAfter(output, /Queries sent:\s+(\d+)/)];
  if (lost > sent / 1_000 || !/NOERROR \d+ \((?:99\.\d+|100\.00)%\)/.test(output)) throw new Error(output);
}

function numberAfter(text: string, pattern: RegExp): number {
  const [, found] = pattern.exec(text) ?? [];
  if (found === undefined) throw new Error(`There is no ${pattern.source} in:\n${text}`);
  return Number(found);
}

function report(rounds: readonly Record<Peer['name'], Sample>[]): void {
  for (const name of ['gateway', 'dnsmasq'] as const) {
    const samples = rounds.map((round) => round[name]);
    const rate = median(samples.map(({ perSecond }) => perSecond)).toFixed(0);
    const cost = median(samples.map(({ cpuMicroseconds }) => cpuMicroseconds)).toFixed(1);
    const load = Math.max(...samples.map(({ loadShare }) => loadShare));
    console.log(
      `${name.padEnd(8)} ${rate} questions/s, ${cost} us CPU each, load at most ${(100 * load).toFixed(0)} %`,
    );
    if (load > LOAD_SHARE_MAX) throw new Error('The load generator was the bottleneck');
  }
  const ratios = rounds.map(({ gateway, dnsmasq }) => gateway.perSecond / dnsmasq.perSecond);
  const [least, middle, most] = [Math.min(...ratios), median(ratios), Math.max(...ratios)];
  console.log(`gateway / dnsmasq: ${middle.toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)})`);
  if (middle < RATIO_MIN) process.exitCode = 1;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
