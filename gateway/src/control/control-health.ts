import { ApiError } from '@cellhop/contract/client';
import type { Logger } from 'pino';

const AVAILABLE = 'available';
/** Reports are sent, and may be refused, twice a second. */
const REFUSAL_LOG_MS = 60_000;
/** How many of the API's validation errors one log line contains. */
const DETAILS_LOGGED = 3;
/** The request is invalid, or crashes its handler: a retry would be refused again. */
const REFUSAL_STATUSES = new Set([400, 413, 422, 500]);

export type ControlCall = 'hello' | 'authorize' | 'dns-ports' | 'update' | 'end';

export const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && REFUSAL_STATUSES.has(error.status);

interface Refusals {
  loggedAt: number;
  /** Since the last log line. */
  count: number;
}

/**
 * Logs when the control plane becomes unavailable and when it is available again, not each call in between. Refusals are
 * logged once a minute for each kind of call, because tunnels stop at their window after them.
 */
export class ControlHealth {
  #state = AVAILABLE;
  #refusedAt = Number.NEGATIVE_INFINITY;
  readonly #refusals = new Map<ControlCall, Refusals>();

  constructor(
    private readonly log: Logger,
    private readonly now: () => number = () => performance.now(),
  ) {}

  get state(): 'ok' | 'away' | 'refusing' {
    if (this.#state !== AVAILABLE) return 'away';
    return this.now() - this.#refusedAt < REFUSAL_LOG_MS ? 'refusing' : 'ok';
  }

  succeeded(): void {
    if (this.#state !== AVAILABLE) this.log.info('The control plane is available again');
    this.#state = AVAILABLE;
  }

  failed(error: unknown): void {
    const fields = errorFields(error);
    const state = `${fields.status} ${fields.code}`;
    if (state === this.#state) return;
    this.#state = state;
    this.log.warn(fields, 'The control plane is unavailable; existing grants remain valid');
  }

  /** The control plane responded, but it refused the request or its response is invalid. */
  refused(call: ControlCall, error: unknown): void {
    this.succeeded();
    const now = this.now();
    this.#refusedAt = now;
    const { loggedAt, count } = this.#refusals.get(call) ?? { loggedAt: Number.NEGATIVE_INFINITY, count: 0 };
    const isDue = now - loggedAt >= REFUSAL_LOG_MS;
    this.#refusals.set(call, isDue ? { loggedAt: now, count: 0 } : { loggedAt, count: count + 1 });
    if (!isDue) return;
    const details = error instanceof ApiError ? error.body?.details?.slice(0, DETAILS_LOGGED) : undefined;
    const fields = { call, ...errorFields(error), details, sinceLastLine: count };
    this.log.error(fields, 'The control plane refuses requests of this node; refused connections get no grants');
  }
}

/** Without a stack: the cause is on the other side. */
function errorFields(error: unknown): { status: number; code: string; message: string } {
  if (error instanceof ApiError) return { status: error.status, code: error.code, message: error.message };
  return { status: 200, code: 'UNREADABLE', message: 'The response does not match the contract' };
}
