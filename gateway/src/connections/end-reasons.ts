/** Maps end reasons to labels of logs and metrics, and to replies to clients. */
import { refusalsOfEnds } from '@cellhop/contract/refusals.values';
import type { EndReason } from '../flows/flow.ts';
import type { FailureCause } from '../statuses.ts';

interface ReasonInfo {
  readonly label: string;
  /** The reply to a client with the credentials of the ended connection. */
  readonly refusal: FailureCause;
}

/** Reasons of the control plane. A newer one may send others. */
const controlPlaneReasons: ReadonlyMap<string, ReasonInfo> = new Map([
  ['USER', { label: 'user', refusal: refusalsOfEnds.USER }],
  ['ADMIN', { label: 'staff', refusal: refusalsOfEnds.ADMIN }],
  ['IDLE', { label: 'idle', refusal: refusalsOfEnds.IDLE }],
  ['NO_MONEY', { label: 'no-money', refusal: refusalsOfEnds.NO_MONEY }],
  ['EXIT_LOST', { label: 'exit-lost', refusal: refusalsOfEnds.EXIT_LOST }],
  ['CAP', { label: 'cap', refusal: refusalsOfEnds.CAP }],
  ['RECALLED', { label: 'recalled', refusal: 'ended' }],
  ['ADDRESS_SHARED', { label: 'other', refusal: 'address-ambiguous' }],
]);

/** Labels of ends that this run decided. */
const gatewayEndLabels: Partial<Record<EndReason, string>> = {
  'out-of-money': 'no-money',
  'cap-reached': 'cap',
  idle: 'unused',
  shutdown: 'shutdown',
};

/** @param reason the reason from the control plane, if there is one */
export function endLabel(end: EndReason, reason: string | undefined): string {
  return gatewayEndLabels[end] ?? controlPlaneReasons.get(reason ?? '')?.label ?? 'other';
}

/** @param reason undefined: the control plane knows no connection with these credentials */
export function refusalCause(reason: string | undefined): FailureCause {
  return reason === undefined ? 'invalid-credentials' : (controlPlaneReasons.get(reason)?.refusal ?? 'ended');
}
