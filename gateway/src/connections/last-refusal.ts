import { REFUSAL_REPORT_MS, type Usage } from '@cellhop/contract/gateway';
import type { RefusalReason } from '@cellhop/contract/refusals.values';
import { type FailureCause, refusalReason } from '../statuses.ts';

interface Refusal {
  readonly reason: RefusalReason;
  readonly at: number;
}

/**
 * The last refusal of a connection's clients until it is reported, for its owner. Whoever knows the username can cause any number of
 * refusals, so only one is kept, and there is an interval between two reports.
 */
export class LastRefusal {
  #last: Refusal | undefined;
  #reported: Refusal | undefined;
  #nextReportAt = Number.NEGATIVE_INFINITY;

  /** Ignores failures that are no refusals. */
  record(cause: FailureCause): void {
    const reason = refusalReason(cause);
    if (reason !== undefined) this.#last = { reason, at: performance.now() };
  }

  /** @returns undefined if there is none to report now */
  report(now: number): Usage['refusal'] {
    const last = this.#last;
    if (!last || now < this.#nextReportAt) return undefined;
    this.#nextReportAt = now + REFUSAL_REPORT_MS;
    this.#reported = last;
    return { reason: last.reason, agoMs: Math.max(0, Math.round(now - last.at)) };
  }

  /** The control plane has received the last report. */
  acknowledge(): void {
    if (this.#last === this.#reported) this.#last = undefined;
  }
}
