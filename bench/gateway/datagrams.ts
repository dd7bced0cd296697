/**
 * Compares the gateway over UDP ASSOCIATE with dante, and with a bare relay, which does nothing but what `node:dgram` offers: datagrams
 * per second that return from an echo, and the CPU time of the proxy. Rounds are interleaved, and only ratios within a round are valid. The load generator is a program in C, because
 * one on Node would be the bottleneck; it needs a C compiler.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { startDante } from './dante.ts';
import { build, cpuSeconds, killAll, OTHER_CORE, pinToCore, PROXY_CORE, start } from './processes.ts';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 7);
/** V8 compiles in stages, and on a busy machine a round has few datagrams. */
const WARM_UP_ROUNDS = 3;
const PAYLOAD_BYTES = 1_200;
const IN_FLIGHT = 64;
const STEP_MS = 2_000;
/** Above this share of its core the load generator may be the bottleneck. */
const LOAD_SHARE_MAX = 0.8;
const directory = mkdtempSync(join(tmpdir(), 'cellhop-bench-'));

interface Control {
  readonly url: string;
  readonly token: string;
  readonly username: string;
  readonly password: string;
}

interface Peer {
  readonly name: string;
  readonly processId: number | undefined;
  /** Opens an association. @returns its control connection and the port to which datagrams are sent */
  associate(): Promise<{ control: Socket | undefined; port: number }>;
}

interface Sample {
  readonly perSecond: number;
  /** CPU time of the proxy per datagram in one direction, in microseconds. */
  readonly cpuMicros: number;
  readonly loadShare: number;
  readonly lost: number;
}

try {
  await main();
} finally {
  killAll();
  rmSync(directory, { recursive: true, force: true });
}
process.exit(0);

async function main(): Promise<void> {
  const source = fileURLToPath(new URL('datagram-load.c', import.meta.url));
  const program = join(directory, 'datagram-load');
  execFileSync('cc', ['-O2', '-pthread', '-o', program, source], { stdio: 'inherit' });
  const peers = await startPeers();
  const samples = new Map<string, Sample[]>(peers.map(({ name }) => [name, []]));
  for (let round = 1 - WARM_UP_ROUNDS; round <= ROUNDS; round += 1) {
    for (const peer of round % 2 === 0 ? peers : peers.toReversed()) {
      const sample = await measure(program, peer);
      if (round > 0) samples.get(peer.name)?.push(sample);
    }
    if (round >= 0) console.log(round === 0 ? 'warmed up' : `round ${round} of ${ROUNDS} done`);
  }
  report(samples);
}

async function startPeers(): Promise<Peer[]> {
  build('control-peer', 'gateway-peer', 'bare-relay-peer');
  const { ready: control } = await start<Control>('control-peer', OTHER_CORE);
  const { url, token, username, password } = control;
  const environment = { CONTROL_URL: url, CONTROL_TOKEN: token };
  const gateway = await start<{ port: number }>('gateway-peer', PROXY_CORE, environment);
  const bare = await start<{ port: number }>('bare-relay-peer', PROXY_CORE);
  const login = Buffer.from([1, username.length, ...Buffer.from(username), password.length, ...Buffer.from(password)]);
  const handshake = [Buffer.from([5, 1, 2]), login];
  const dante = await startDante(directory);
  return [
    { name: 'no proxy', processId: undefined, associate: () => Promise.resolve({ control: undefined, port: 0 }) },
    {
      name: 'gateway',
      processId: gateway.processId,
      associate: () => associate(gateway.ready.port, handshake),
    },
    {
      name: 'bare relay',
      processId: bare.processId,
      associate: () => associate(bare.ready.port, [Buffer.from([5, 1, 0])]),
    },
    ...(dante
      ? [{ name: 'dante', processId: dante.processId, associate: () => associate(dante.port, handshake) }]
      : []),
  ];
}

/** Each message of the handshake has a reply of two bytes; that to the request has ten. */
async function associate(proxyPort: number, handshake: readonly Buffer[]) {
  const control = connect(proxyPort, '127.0.0.1');
  await once(control, 'connect');
  for (const message of handshake) {
    control.write(message);
    await once(control, 'data');
  }
  control.write(Buffer.from([5, 3, 0, 1, 0, 0, 0, 0, 0, 0]));
  const [reply] = (await once(control, 'data')) as [Buffer];
  if (reply[1] !== 0) throw new Error(`UDP ASSOCIATE was refused with reply ${reply[1]}`);
  return { control, port: reply.readUInt16BE(8) };
}

async function measure(program: string, peer: Peer): Promise<Sample> {
  const { control, port } = await peer.associate();
  const secondsBefore = cpuSeconds(peer.processId);
  const options = [port, PAYLOAD_BYTES, IN_FLIGHT, STEP_MS].map(String);
  const child = pinToCore(spawn(program, options, { stdio: ['ignore', 'pipe', 'inherit'] }), OTHER_CORE);
  const [replies, seconds, loadCpuSeconds, lost] = (await text(child.stdout!)).split(' ').map(Number);
  const proxySeconds = cpuSeconds(peer.processId) - secondsBefore;
  control?.destroy();
  if (!replies || !seconds || loadCpuSeconds === undefined || lost === undefined)
    throw new Error(`${peer.name}: no datagram returned; the run is invalid`);
  return {
    perSecond: replies / seconds,
    cpuMicros: (proxySeconds * 1e6) / (2 * replies),
    loadShare: loadCpuSeconds / seconds,
    lost,
  };
}

function report(samples: ReadonlyMap<string, readonly Sample[]>): void {
  console.log(`\nMedians, ${PAYLOAD_BYTES} bytes, ${IN_FLIGHT} in flight (absolute figures depend on this machine):`);
  for (const [name, list] of samples) {
    const [rate, micros, share] = [
      median(list.map(({ perSecond }) => perSecond)),
      median(list.map(({ cpuMicros }) => cpuMicros)),
      median(list.map(({ loadShare }) => loadShare)),
    ];
    const lost = list.reduce((sum, sample) => sum + sample.lost, 0);
    const cost = name === 'no proxy' ? '' : `, ${micros.toFixed(1)} us of CPU per relayed datagram`;
    const load = `load ${(100 * share).toFixed(0)} % of its core${share > LOAD_SHARE_MAX ? ' (the bottleneck)' : ''}`;
    console.log(`  ${name.padEnd(10)} ${rate.toFixed(0)} round trips/s${cost}, ${load}, ${lost} lost`);
  }
  console.log('\nRatios within rounds, median (min..max):');
  for (const [name, other] of [
    ['gateway', 'dante'],
    ['gateway', 'bare relay'],
    ['bare relay', 'dante'],
  ] as const)
    printRatios(`${name} / ${other}`, samples.get(name) ?? [], samples.get(other) ?? []);
}

function printRatios(title: string, ours: readonly Sample[], theirs: readonly Sample[]): void {
  if (theirs.length === 0) return;
  const texts = (['perSecond', 'cpuMicros'] as const).map((key) => {
    const ratios = ours.map((sample, round) => sample[key] / (theirs[round]?.[key] ?? Number.NaN));
    const range = `${Math.min(...ratios).toFixed(2)}..${Math.max(...ratios).toFixed(2)}`;
    return `${key} ${median(ratios).toFixed(2)} (${range})`;
  });
  console.log(`  ${title}: ${texts.join(', ')}`);
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
