/** Why a connection has ended, in the words of the log, the metrics and our answers. */
import type { EndReason } from '../flows/flow.ts';
import type { FailureCause } from '../statuses.ts';

interface ReasonWords {
  readonly label: string;
  /** What a client with the connection's credentials is told. */
  readonly refusal: FailureCause;
}

/** What the control plane says. A newer one may know more reasons. */
const wordsOfReasons: ReadonlyMap<string, ReasonWords> = new Map([
  ['USER', { label: 'user', refusal: 'ended-by-user' }],
  ['ADMIN', { label: 'staff', refusal: 'ended-by-staff' }],
  ['IDLE', { label: 'idle', refusal: 'ended-idle' }],
  ['NO_MONEY', { label: 'no-money', refusal: 'ended-without-money' }],
  ['EXIT_LOST', { label: 'exit-lost', refusal: 'ended-exit-lost' }],
  ['CAP', { label: 'cap', refusal: 'ended-at-cap' }],
  ['RECALLED', { label: 'recalled', refusal: 'ended' }],
  ['ADDRESS_SHARED', { label: 'other', refusal: 'address-shared' }],
]);

/** Ends that this run has found out itself. */
const labelsOfOwnEnds: Partial<Record<EndReason, string>> = {
  'out-of-money': 'no-money',
  'cap-reached': 'cap',
  idle: 'unused',
  shutdown: 'shutdown',
};

/** @param reason what the control plane said, if it did */
export function labelOfEnd(end: EndReason, reason: string | undefined): string {
  return labelsOfOwnEnds[end] ?? wordsOfReasons.get(reason ?? '')?.label ?? 'other';
}

/** @param reason undefined: the control plane knows no connection with these credentials */
export function causeOfRefusal(reason: string | undefined): FailureCause {
  return reason === undefined ? 'credentials-wrong' : (wordsOfReasons.get(reason)?.refusal ?? 'ended');
}
