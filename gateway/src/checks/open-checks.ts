import type { Logger } from 'pino';
import type { ControlClient } from '../control/control-client.ts';
import type { Heartbeat } from '../control/heartbeat.ts';
import type { openExits } from '../exits/exits.ts';
import type { ReservedAddresses } from '../exits/reserved-addresses.ts';
import type { Limits } from '../limits.ts';
import type { Metrics } from '../metrics.ts';
import type { Target } from '../protocol/host.ts';
import { ExitCheckPerformer } from './exit-check.ts';
import { ExitChecks } from './exit-checks.ts';

type CheckParts = Pick<
  ReturnType<typeof openExits>,
  'exits' | 'reserved' | 'dialForChecks' | 'dialDestination' | 'ownRoute' | 'dialOutcomes'
> & {
  readonly control: ControlClient;
  readonly heartbeat: Heartbeat;
  readonly metrics: Metrics;
};

interface CheckOptions {
  /** Destinations that checks ask whether an exit carries more than the echo. */
  readonly checkDestinations?: readonly Target[] | undefined;
  readonly log: Logger;
}

/** The checks of this node's exits. */
export function openChecks(
  { checkDestinations = [], log }: CheckOptions,
  limits: Limits,
  { control, heartbeat, metrics, exits, reserved, dialForChecks, dialDestination, ownRoute, dialOutcomes }: CheckParts,
): ExitChecks {
  const echoUrls = () => chooseEchoes(heartbeat.echoUrls, reserved);
  const workingExits = () => [...exits.open].filter((exit) => dialOutcomes.isWorking(exit));
  const destinations = { dialDestination, checkDestinations, workingExits };
  const performer = new ExitCheckPerformer({ dial: dialForChecks, limits, echoUrls, ownRoute, ...destinations });
  const isReady = () => echoUrls().length > 0;
  const checks = new ExitChecks({ control, exits, dialOutcomes, performer, isReady, limits, metrics, log });
  heartbeat.onRefreshed = () => checks.request();
  metrics.watch('gateway_exit_checks_running', 'Checks of exits that run now', () => checks.running);
  return checks;
}

/** An echo on this host proves nothing about an exit, because requests to it need not leave the host: only without another one. */
function chooseEchoes(urls: readonly string[], reserved: Pick<ReservedAddresses, 'isOwnEcho'>): readonly string[] {
  const elsewhere = urls.filter((url) => !reserved.isOwnEcho(url));
  return elsewhere.length > 0 ? elsewhere : urls;
}
