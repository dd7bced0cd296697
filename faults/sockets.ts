/**
 * Keeps thousands of hostile sockets of all kinds open to a gateway with few file descriptors, from one address and from
 * 500, and judges whether the node lives, each customer of another network keeps their speed, and memory and descriptors
 * are given back.
 *
 * Usage: npm run faults -- kind=sockets [seconds=60] [sockets=5000] [descriptors=1024] [addresses=500]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { WatchedProcess } from '../attacks/watched-process.ts';
import { ControlPlane } from '../gateway/test/control-plane.ts';
import type { Order } from './hostile-sockets.ts';
import { measureSpeeds, NewTunnels, startDownload, startOrigin } from './honest-customers.ts';
import { options } from './options.ts';
import { type SoakedGateway, startSoakedGateway } from './soaked-gateway.ts';

const CUSTOMERS = 8;
const BASELINE_SECONDS = 10;
/** Of what each customer had before. */
const SPEED_SHARE_MIN = 0.5;
/**
 * Of new tunnels of others. None fails on a machine that is otherwise idle; on a busy one a handshake takes longer than the
 * few half-open sockets of so small a node last.
 */
const FAILED_SHARE_MAX = 0.5;
/** In use after a collection of garbage: the pool keeps the buffers of the pump that were needed at once. */
const USED_MEGABYTES_MORE_MAX = 24;
/** V8 gives pages of a heap that was larger back late. */
const RESIDENT_MEGABYTES_MORE_MAX = 100;
const RECOVERY_MS = 30_000;

interface Held {
  readonly usedMegabytes: number;
  readonly residentMegabytes: number;
  readonly descriptors: number;
}

interface Measured {
  readonly speedsBefore: readonly number[];
  readonly speedsDuring: readonly number[];
  readonly failedShare: number;
  /** Undefined where the process has ended. */
  readonly heldBefore: Held | undefined;
  readonly heldAfter: Held | undefined;
  readonly ending: string | undefined;
}

const settings = readArguments(options);
const violations: string[] = [];
for (const addresses of settings.crowds) await attackFrom(addresses);
for (const violation of violations) console.error(violation);
console.log(`${violations.length} violations`);
process.exit(violations.length === 0 ? 0 : 1);

async function attackFrom(count: number): Promise<void> {
  const title = `${settings.sockets} sockets from ${count} addresses`;
  const control = await new ControlPlane().start();
  const originPort = await startOrigin();
  const node = await startSoakedGateway(control, settings.descriptors);
  const downloads = await Promise.all(
    Array.from({ length: CUSTOMERS }, (_, customer) => startDownload(node.port, control.sell(), originPort, customer)),
  );
  const newTunnels = new NewTunnels(node.port, control.sell(), originPort);
  const watched = new WatchedProcess(node.pid);
  const speedsBefore = await measureSpeeds(downloads, BASELINE_SECONDS);
  const heldBefore = await holds(node, watched);
  newTunnels.forgetResults();
  const attack = await startAttack({
    port: node.port,
    addresses: addressesOf(count),
    login: control.sell(),
    originPort,
    sockets: settings.sockets,
  });
  const speedsDuring = await measureSpeeds(downloads, settings.seconds);
  const metrics = await node.metrics('gateway_client_sockets', 'gateway_tunnels', 'gateway_descriptors');
  const attacker = await attack.stop();
  const { failedShare, medianMs } = newTunnels.stop();
  const heldAfter = heldBefore && (await afterRecovery(node, watched, heldBefore));
  watched.stop();
  const measured = { speedsBefore, speedsDuring, failedShare, heldBefore, heldAfter, ending: node.ending() };
  violations.push(...complaintsAbout(measured).map((complaint) => `${title}: ${complaint}`));
  console.log(
    `${title}: others ${megabits(speedsBefore)} Mbit/s before, ${megabits(speedsDuring)} during, ` +
      `the slowest ${percent(slowestShare(measured))} of theirs; new tunnels median ${medianMs} ms, ${percent(failedShare)} failed`,
  );
  console.log(
    `  node: ${watched.peakMegabytes} MB at most; afterwards ${inWords(heldAfter)}, before ${inWords(heldBefore)}`,
  );
  console.log(
    `  attacker: ${attacker.opened} opened, ${attacker.closedByServer} closed by the node, ${attacker.held} held at the end`,
  );
  for (const line of metrics) console.log(`  ${line}`);
  for (const { socket } of downloads) socket.destroy();
  node.stop();
  control.stop();
}

function complaintsAbout(measured: Measured): string[] {
  const { failedShare, heldBefore, heldAfter, ending } = measured;
  if (!heldBefore || !heldAfter) return [`the node ended ${ending}`];
  const share = slowestShare(measured);
  return [
    // Also where a share is no number, because nothing passed before.
    ...(share >= SPEED_SHARE_MIN ? [] : [`a customer elsewhere has ${percent(share)} of their speed`]),
    ...(failedShare <= FAILED_SHARE_MAX ? [] : [`${percent(failedShare)} of the new tunnels of others failed`]),
    ...(isBack(heldAfter, heldBefore) ? [] : [`${inWords(heldAfter)} afterwards, ${inWords(heldBefore)} before`]),
  ];
}

function slowestShare({ speedsBefore, speedsDuring }: Measured): number {
  return Math.min(...speedsDuring.map((speed, index) => speed / speedsBefore[index]!));
}

/** Waits until the node has given everything back, or has had time enough to do so. */
async function afterRecovery(node: SoakedGateway, watched: WatchedProcess, before: Held): Promise<Held | undefined> {
  const deadline = performance.now() + RECOVERY_MS;
  for (;;) {
    const after = await holds(node, watched);
    if (!after || isBack(after, before) || performance.now() > deadline) return after;
    await pause(500);
  }
}

async function holds(node: SoakedGateway, watched: WatchedProcess): Promise<Held | undefined> {
  const usedMegabytes = await node.usedMegabytes();
  if (usedMegabytes === undefined) return undefined;
  return { usedMegabytes, residentMegabytes: watched.megabytes, descriptors: watched.descriptors };
}

function isBack(after: Held, before: Held): boolean {
  return (
    after.descriptors <= before.descriptors &&
    after.usedMegabytes <= before.usedMegabytes + USED_MEGABYTES_MORE_MAX &&
    after.residentMegabytes <= before.residentMegabytes + RESIDENT_MEGABYTES_MORE_MAX
  );
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

/** Each is a network of its own; customers are elsewhere. */
function addressesOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `127.${10 + Math.floor(index / 250)}.0.${1 + (index % 250)}`);
}

function megabits(bytesPerSecond: readonly number[]): number {
  return Math.round((bytesPerSecond.reduce((sum, each) => sum + each, 0) * 8) / 1e6);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function inWords(held: Held | undefined): string {
  if (!held) return 'nothing, because it has ended';
  const { usedMegabytes, residentMegabytes, descriptors } = held;
  return `${usedMegabytes} MB in use, ${residentMegabytes} MB resident, ${descriptors} descriptors`;
}

function readArguments(given: readonly string[]) {
  const values = new Map<string, number>();
  for (const argument of given) {
    const [, name, value] = /^(seconds|sockets|descriptors|addresses)=(\d+)$/.exec(argument) ?? [];
    if (name === undefined) {
      console.error(
        `"${argument}" is unknown: npm run faults -- kind=sockets [seconds=60] [sockets=5000] [descriptors=1024] [addresses=500]`,
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
