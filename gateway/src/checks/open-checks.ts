import type { Exit as ExitDescription } from '@cellhop/contract/exits';
import { canonicalAddress } from '@cellhop/contract/network';
import type { RotationLink } from '@cellhop/contract/rotation-links';
import type { Logger } from 'pino';
import type { Connections } from '../connections/connections.ts';
import type { ControlClient } from '../control/control-client.ts';
import type { Heartbeat } from '../control/heartbeat.ts';
import type { DialAbort } from '../exits/exit.ts';
import type { openExits } from '../exits/exits.ts';
import type { ReservedAddresses } from '../exits/reserved-addresses.ts';
import type { Limits } from '../limits.ts';
import type { Metrics } from '../metrics.ts';
import type { Target } from '../protocol/host.ts';
import { Capabilities } from './capabilities.ts';
import { ExitCheckPerformer } from './exit-check.ts';
import { ExitChecks } from './exit-checks.ts';
import { callLink } from './rotation-link.ts';
import { Rotations } from './rotations.ts';

type CheckParts = Pick<
  ReturnType<typeof openExits>,
  'exits' | 'reserved' | 'dialForChecks' | 'dialForLinks' | 'dialDestination' | 'guard' | 'ownRoute' | 'dialOutcomes'
> & {
  readonly connections: Pick<Connections, 'open' | 'resetTunnels'>;
  readonly control: ControlClient;
  readonly heartbeat: Heartbeat;
  readonly metrics: Metrics;
};

export interface CheckOptions {
  /** Destinations that checks ask whether an exit carries more than the echo. */
  readonly checkDestinations?: readonly Target[] | undefined;
  /** Which answers datagrams that were sent through exits; undefined: UDP is not tested. */
  readonly stunServer?: Target | undefined;
  /** A name whose address is that of the name server that asks for it; undefined: it is not found out. */
  readonly whoamiName?: string | undefined;
  readonly log: Logger;
}

/** The checks of this node's exits. */
export function openChecks(
  { checkDestinations = [], stunServer, whoamiName, log }: CheckOptions,
  limits: Limits,
  { control, heartbeat, metrics, connections, exits, reserved, dialForChecks, dialForLinks, ...routes }: CheckParts,
): ExitChecks {
  const { dialDestination, guard, ownRoute, dialOutcomes } = routes;
  const echoUrls = () => chooseEchoes(heartbeat.echoUrls, reserved);
  const workingExits = () => [...exits.open].filter((exit) => dialOutcomes.isWorking(exit));
  const destinations = { dialDestination, checkDestinations, workingExits };
  const performer = new ExitCheckPerformer({ dial: dialForChecks, limits, echoUrls, ownRoute, ...destinations });
  const tested = { dialDestination, guard, ownRoute, checkDestinations, stunServer, whoamiName };
  const capabilities = new Capabilities({ ...tested, limits });
  const running = new Set<DialAbort>();
  const rotations = new Rotations({
    exits,
    performer,
    callLink: (link, exit) => callLink({ dial: dialForLinks(isOnHostOf(exit, link)), ownRoute, running, limits }, link),
    endCalls: () => {
      for (const abort of running) abort.abort();
    },
    resetTunnels: (exit) => connections.resetTunnels(exit),
    limits,
    log,
  });
  const isReady = () => echoUrls().length > 0;
  const checks = new ExitChecks({
    control,
    exits,
    dialOutcomes,
    performer,
    connections,
    capabilities,
    rotations,
    isReady,
    limits,
    metrics,
    log,
  });
  heartbeat.onRefreshed = () => checks.request();
  metrics.watch('gateway_exit_checks_running', 'Checks of exits that run now', () => checks.running);
  return checks;
}

/** Farms often have their links at the machine that carries the traffic, in a private network. */
function isOnHostOf(exit: ExitDescription, { url }: RotationLink): boolean {
  const host = 'host' in exit ? (canonicalAddress(exit.host) ?? exit.host.toLowerCase()) : undefined;
  const named = new URL(url).hostname.replaceAll(/^\[|\]$/g, '');
  return host === (canonicalAddress(named) ?? named);
}

/** An echo on this host proves nothing about an exit, because requests to it need not leave the host: only without another one. */
function chooseEchoes(urls: readonly string[], reserved: Pick<ReservedAddresses, 'isOwnEcho'>): readonly string[] {
  const elsewhere = urls.filter((url) => !reserved.isOwnEcho(url));
  return elsewhere.length > 0 ? elsewhere : urls;
}
