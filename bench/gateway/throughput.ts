/**
 * Compares the gateway with other proxies on loopback: bulk data on 8 streams, and new tunnels per second. Rounds are
 * interleaved, and only ratios within a round are valid; absolute figures depend on the machine and its load. The gateway
 * gets every grant from a control plane in a separate process, as in production.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDante } from './dante.ts';
import type { Step, StepResult } from './load.ts';
import { request, build, killAll, launch, OTHER_CORE, cpuSeconds, PROXY_CORE, start } from './processes.ts';
import { type Peer, report, type Sample, type StreamSample, type Waits } from './report.ts';

interface LoadTarget {
  readonly load: ChildProcess;
  readonly originPort: number;
  readonly username: string;
  readonly password: string;
}

interface Control {
  readonly url: string;
  readonly token: string;
  readonly username: string;
  readonly password: string;
}

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 7);
const BULK_MS = 1_200;
/** Duration that the load adds to a bulk step: its warm-up and the close of its sockets. */
const BULK_OVERHEAD_MS = 350;
const TUNNELS_MS = 1_000;
const STREAM_MS = 2_000;
const directory = mkdtempSync(join(tmpdir(), 'cellhop-bench-'));
const noWaits = () => Promise.resolve({ count: 0, seconds: 0 });

try {
  await main();
} finally {
  killAll();
  rmSync(directory, { recursive: true, force: true });
}
process.exit(0);

async function main(): Promise<void> {
  build('origin', 'load', 'control-peer', 'gateway-peer', 'proxy-chain-peer');
  const { ready: control } = await start<Control>('control-peer', OTHER_CORE);
  const { username, password } = control;
  const { ready: origin } = await start<{ port: number }>('origin', OTHER_CORE);
  const target: LoadTarget = { load: launch('load', OTHER_CORE), originPort: origin.port, username, password };
  const peers = await startPeers(control);
  const streams: StreamSample[] = [];
  const samples = new Map<string, Sample[]>(peers.map(({ name }) => [name, []]));
  // The first round is a warm-up: V8 is still compiling.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const peer of shuffled(peers)) {
      const sample = await measure(peer, target);
      if (round > 0) samples.get(peer.name)?.push(sample);
    }
    const gateway = peers.find(({ name }) => name === 'gateway, CONNECT')!;
    for (const kind of ['paced', 'one'] as const) {
      const stream = await measureStream(gateway, kind, target);
      if (round > 0) streams.push(stream);
    }
    console.log(round === 0 ? 'warmed up' : `round ${round} of ${ROUNDS} done`);
  }
  report(samples, streams);
}

async function startPeers({ url, token, username, password }: Control): Promise<Peer[]> {
  const ours = await start<{ port: number; relay: string }>('gateway-peer', PROXY_CORE, {
    CONTROL_URL: url,
    CONTROL_TOKEN: token,
  });
  const theirs = await start<{ port: number }>('proxy-chain-peer', PROXY_CORE, {
    BENCH_USERNAME: username,
    BENCH_PASSWORD: password,
  });
  console.log(`Relay of the gateway: ${ours.ready.relay}`);
  const gateway = {
    port: ours.ready.port,
    processId: ours.processId,
    grantWaits: () => request<Waits>(ours.child, { kind: 'grant-waits' }),
  };
  const proxyChain = { port: theirs.ready.port, processId: theirs.processId, grantWaits: noWaits };
  return [
    { name: 'no proxy', via: 'direct', port: 0, processId: undefined, grantWaits: noWaits },
    { name: 'gateway, CONNECT', via: 'connect', ...gateway },
    { name: 'gateway, SOCKS5', via: 'socks5', ...gateway },
    { name: 'proxy-chain, CONNECT', via: 'connect', ...proxyChain },
    ...(await startDante(directory)),
  ];
}

async function measure(peer: Peer, { load, ...target }: LoadTarget): Promise<Sample> {
  const step = { via: peer.via, proxyPort: peer.port, ...target };
  const [secondsBefore, waitsBefore] = [cpuSeconds(peer.processId), await peer.grantWaits()];
  const bulk = await runStep(load, { ...step, kind: 'bulk', milliseconds: BULK_MS });
  const seconds = cpuSeconds(peer.processId) - secondsBefore;
  const grantWaits = since(waitsBefore, await peer.grantWaits());
  const tunnels = await runStep(load, { ...step, kind: 'tunnels', milliseconds: TUNNELS_MS });
  const gigabytes = (bulk.perSecond * (BULK_MS + BULK_OVERHEAD_MS)) / 1e12;
  const errors = bulk.errors + tunnels.errors;
  if (errors > 0) throw new Error(`${peer.name}: ${errors} errors; the run is invalid`);
  return {
    bulk: bulk.perSecond,
    tunnels: tunnels.perSecond,
    secondsPerGigabyte: seconds / gigabytes,
    grantWaits,
    streamSeconds: (bulk.streams * (BULK_MS + BULK_OVERHEAD_MS)) / 1000,
  };
}

/** Measures the wait share of a connection with a single stream, which seven other streams would hide. */
async function measureStream(
  peer: Peer,
  kind: 'paced' | 'one',
  { load, ...target }: LoadTarget,
): Promise<StreamSample> {
  const waitsBefore = await peer.grantWaits();
  const step = { via: peer.via, proxyPort: peer.port, ...target, kind, milliseconds: STREAM_MS };
  const { perSecond, errors } = await runStep(load, step);
  if (errors > 0) throw new Error(`one stream: ${errors} errors; the run is invalid`);
  return {
    name: kind === 'paced' ? 'sent at 1 Gbit/s (125 MB/s)' : 'sent without a limit',
    bytesPerSecond: perSecond,
    seconds: (STREAM_MS + BULK_OVERHEAD_MS) / 1000,
    grantWaits: since(waitsBefore, await peer.grantWaits()),
  };
}

function since(before: Waits, after: Waits): Waits {
  return { count: after.count - before.count, seconds: after.seconds - before.seconds };
}

function runStep(load: ChildProcess, step: Step): Promise<StepResult> {
  return request<StepResult>(load, step);
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, order: Math.random() }))
    .toSorted((one, other) => one.order - other.order)
    .map(({ item }) => item);
}
