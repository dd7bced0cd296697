/**
 * Compares the gateway with other proxies on loopback: bulk data on 8 streams, and new tunnels per second. Rounds are
 * interleaved and only ratios within a round are believed; absolute figures depend on the machine and its neighbours.
 * The gateway asks a control plane in a process of its own for every grant, as in production.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDante } from './dante.ts';
import type { Step, StepResult } from './load.ts';
import { ask, build, endAll, launch, OTHER_CORE, processorSeconds, PROXY_CORE, start } from './processes.ts';
import { type Peer, report, type Sample } from './report.ts';

interface Place {
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
/** What the load adds to a bulk step: its warm-up and the end of its sockets. */
const BULK_AROUND_MS = 350;
const TUNNELS_MS = 1_000;
const directory = mkdtempSync(join(tmpdir(), 'cellhop-bench-'));
const none = () => Promise.resolve(0);

try {
  await main();
} finally {
  endAll();
  rmSync(directory, { recursive: true, force: true });
}
process.exit(0);

async function main(): Promise<void> {
  build('origin', 'load', 'control-peer', 'gateway-peer', 'proxy-chain-peer');
  const { ready: control } = await start<Control>('control-peer', OTHER_CORE);
  const { username, password } = control;
  const { ready: origin } = await start<{ port: number }>('origin', OTHER_CORE);
  const place: Place = { load: launch('load', OTHER_CORE), originPort: origin.port, username, password };
  const peers = await startPeers(control);
  const samples = new Map<string, Sample[]>(peers.map(({ name }) => [name, []]));
  // The first round is not counted: the compiler of Node is still busy in it.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const peer of shuffled(peers)) {
      const sample = await measure(peer, place);
      if (round > 0) samples.get(peer.name)?.push(sample);
    }
    console.log(round === 0 ? 'warmed up' : `round ${round} of ${ROUNDS} done`);
  }
  report(samples);
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
    grantWaits: () => ask<number>(ours.child, { kind: 'grant-waits' }),
  };
  const proxyChain = { port: theirs.ready.port, processId: theirs.processId, grantWaits: none };
  return [
    { name: 'no proxy', via: 'direct', port: 0, processId: undefined, grantWaits: none },
    { name: 'gateway, CONNECT', via: 'connect', ...gateway },
    { name: 'gateway, SOCKS5', via: 'socks5', ...gateway },
    { name: 'proxy-chain, CONNECT', via: 'connect', ...proxyChain },
    ...(await startDante(directory)),
  ];
}

async function measure(peer: Peer, { load, ...place }: Place): Promise<Sample> {
  const step = { via: peer.via, proxyPort: peer.port, ...place };
  const [secondsBefore, waitsBefore] = [processorSeconds(peer.processId), await peer.grantWaits()];
  const bulk = await runStep(load, { ...step, kind: 'bulk', milliseconds: BULK_MS });
  const seconds = processorSeconds(peer.processId) - secondsBefore;
  const grantWaits = (await peer.grantWaits()) - waitsBefore;
  const tunnels = await runStep(load, { ...step, kind: 'tunnels', milliseconds: TUNNELS_MS });
  const gigabytes = (bulk.perSecond * (BULK_MS + BULK_AROUND_MS)) / 1e12;
  const errors = bulk.errors + tunnels.errors;
  if (errors > 0) throw new Error(`${peer.name}: ${errors} errors; the run is void`);
  return {
    bulk: bulk.perSecond,
    tunnels: tunnels.perSecond,
    secondsPerGigabyte: seconds / gigabytes,
    grantWaits,
  };
}

function runStep(load: ChildProcess, step: Step): Promise<StepResult> {
  return ask<StepResult>(load, step);
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, order: Math.random() }))
    .toSorted((one, other) => one.order - other.order)
    .map(({ item }) => item);
}
