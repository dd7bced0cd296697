/** What must hold of each outcome, and what of two outcomes must be equal. */
import type { RelayCase, TunnelPlan } from './plans.ts';
import { reasonOf } from './finishes.ts';
import type { Outcome, Seen, TunnelOutcome } from './play.ts';

type Direction = 'toExit' | 'toClient';

/** Sent, and its reset sent at once: any number of these bytes may have arrived, or been read by the gateway. */
const isInFlight = ({ finish }: TunnelPlan) => finish.how === 'reset-in-flight';
/** Several senders compete for the last grant: only the sum of what passes is certain. */
const isShared = ({ tunnels }: RelayCase & { kind: 'tunnels' }) => {
  const [{ finish }] = tunnels as [TunnelPlan];
  return finish.how === 'spent' && (tunnels.length > 1 || (finish.up > 0 && finish.down > 0));
};

/** Nothing was paid, and nothing uses the connection: what its next report says, and the timeout of unused ones, come at the same time. */
const isEndedByEither = (plan: RelayCase) => plan.kind === 'refusal' && plan.why === 'no-credit';

/** @returns what is wrong with an outcome by itself */
export function judge(plan: RelayCase, outcome: Outcome): string[] {
  const faults = outcome.unexpected.map((what) => `unexpected: ${what}`);
  const { usedBytes, uploadedBytes, endedAtBytes, tunnels } = outcome;
  for (const [nth, { client, origin }] of tunnels.entries())
    for (const [end, seen] of Object.entries({ client, origin }))
      if (seen?.wrongAt !== undefined) faults.push(`tunnel ${nth}: wrong bytes at the ${end} from ${seen.wrongAt} on`);
  if (plan.kind === 'handshake' || plan.kind === 'half-open' || faults.length > 0) return faults;
  if (endedAtBytes !== undefined && endedAtBytes !== usedBytes)
    faults.push(`${usedBytes} bytes were reported, at the end ${endedAtBytes}`);
  const plans = plan.kind === 'tunnels' ? plan.tunnels : tunnels.map(() => plan.tunnel);
  const counted = outcome.lines.filter(({ msg }) => msg === 'Tunnel ended');
  const sum = (direction: Direction) => counted.reduce((bytes, line) => bytes + (line[direction] ?? 0), 0);
  if (sum('toExit') !== uploadedBytes || sum('toExit') + sum('toClient') !== usedBytes)
    faults.push(
      `tunnels counted ${sum('toExit')} and ${sum('toClient')}, reported were ${uploadedBytes} of ${usedBytes}`,
    );
  faults.push(...judgeBytes(plans, outcome), ...judgeEnds(plan, plans, outcome));
  return faults;
}

/** Counted is what has arrived, to the byte; what was cut in flight was counted if it was read, and may have arrived if it was counted. */
function judgeBytes(plans: readonly TunnelPlan[], { tunnels, usedBytes, uploadedBytes }: Outcome): string[] {
  const range = (side: (tunnel: TunnelOutcome) => [receiver: Seen | undefined, sender: Seen | undefined]) => {
    const bytes = { min: 0, max: 0 };
    for (const [nth, tunnel] of tunnels.entries()) {
      const [receiver, sender] = side(tunnel);
      const { finish } = plans[nth]!;
      const isCut = isInFlight(plans[nth]!) || (finish.how === 'close' && finish.answer > 0);
      bytes.min += receiver?.receivedBytes ?? 0;
      bytes.max += (isCut ? sender?.sentBytes : receiver?.receivedBytes) ?? 0;
    }
    return bytes;
  };
  const up = range(({ client, origin }) => [origin, client]);
  const down = range(({ client, origin }) => [client, origin]);
  const faults = [];
  if (uploadedBytes < up.min || uploadedBytes > up.max)
    faults.push(`${uploadedBytes} bytes of uploads were counted, expected ${up.min} to ${up.max}`);
  const downloadedBytes = usedBytes - uploadedBytes;
  if (downloadedBytes < down.min || downloadedBytes > down.max)
    faults.push(`${downloadedBytes} bytes of downloads were counted, expected ${down.min} to ${down.max}`);
  return faults;
}

function judgeEnds(plan: RelayCase, plans: readonly TunnelPlan[], { tunnels, lines }: Outcome): string[] {
  const isCap = plan.kind === 'tunnels' && plan.isCap;
  const open = plans.filter((_, nth) => tunnels[nth]?.origin !== undefined);
  const wanted = open.map(({ finish }) => reasonOf(finish, isCap) as string).sort();
  if (plan.kind === 'refusal')
    wanted.push(...lines.filter(({ reason }) => reason === 'dial-failed').map(() => 'dial-failed'));
  const given = lines.flatMap(({ msg, reason = '' }) => (msg === 'Tunnel ended' ? [reason] : []));
  return given.sort().join() === wanted.sort().join()
    ? []
    : [`tunnels ended as ${given.join()}, expected ${wanted.join()}`];
}

/** The outcome without what depends on time, as text. */
export function comparable(plan: RelayCase, outcome: Outcome): string {
  const plans = plan.kind === 'tunnels' ? plan.tunnels : [];
  const areSumsAlone = plan.kind === 'tunnels' && isShared(plan);
  const isAnyInFlight = plans.some(isInFlight);
  const tunnels = outcome.tunnels.map((tunnel, nth) => {
    const hides = areSumsAlone || (plans[nth] !== undefined && isInFlight(plans[nth]));
    return { ...tunnel, client: hidden(tunnel.client, hides), origin: tunnel.origin && hidden(tunnel.origin, hides) };
  });
  const lines = outcome.lines.map(({ usedBytes, toExit, toClient, ...line }) => ({
    ...line,
    ...(isEndedByEither(plan) && line.msg === 'Connection ended' && { reason: 'unused or no-money' }),
    ...(isAnyInFlight || areSumsAlone ? {} : { toExit, toClient }),
    ...(isAnyInFlight ? {} : { usedBytes }),
  }));
  const { usedBytes, uploadedBytes, endedAtBytes, ...rest } = outcome;
  return JSON.stringify({
    ...rest,
    tunnels,
    lines: lines.map((line) => JSON.stringify(line)).sort(),
    ...(isAnyInFlight ? {} : { usedBytes, endedAtBytes }),
    ...(isAnyInFlight || areSumsAlone ? {} : { uploadedBytes }),
  });
}

/** A socket that sends more than the last grant may be closed before it has taken all of it. */
function hidden({ receivedBytes, end, isResetAfterEnd, wrongAt }: Seen, hidesBytes: boolean): Partial<Seen> {
  return { ...(!hidesBytes && { receivedBytes }), end, isResetAfterEnd, wrongAt };
}
