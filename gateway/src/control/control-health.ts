import { ApiError } from '@cellhop/contract/client';
import type { Logger } from 'pino';

const WORKING = 'working';
/** A refusal comes with each report, twice a second. */
const REFUSAL_LOG_MS = 60_000;
/** Of the API's list of what is wrong. */
const DETAILS_LOGGED = 3;
/** The request itself is at fault, or the API fails over it; sent again it would be refused again. */
const REFUSALS = new Set([400, 413, 422, 500]);

export type ControlCall = 'hello' | 'authorize' | 'update' | 'end';

export const isRefusal = (error: unknown): error is ApiError => error instanceof ApiError && REFUSALS.has(error.status);

interface Refusals {
  loggedAt: number;
  /** Since the last line of the log. */
  count: number;
}

/**
 * Logs when the control plane stops answering, and when it answers again; not each call in between. What it refuses while
 * it answers is logged once a minute for each kind of call, because tunnels stop at their window behind it.
 */
export class ControlHealth {
  #state = WORKING;
  #refusedAt = Number.NEGATIVE_INFINITY;
  readonly #refusals = new Map<ControlCall, Refusals>();

  constructor(
    private readonly log: Logger,
    private readonly now: () => number = () => performance.now(),
  ) {}

  get state(): 'ok' | 'away' | 'refusing' {
    if (this.#state !== WORKING) return 'away';
    return this.now() - this.#refusedAt < REFUSAL_LOG_MS ? 'refusing' : 'ok';
  }

  answered(): void {
    if (this.#state !== WORKING) this.log.info('The control plane answers again');
    this.#state = WORKING;
  }

  failed(error: unknown): void {
    const facts = factsOf(error);
    const state = `${facts.status} ${facts.code}`;
    if (state === this.#state) return;
    this.#state = state;
    this.log.warn(facts, 'The control plane does not answer as it should; grants stay in force');
  }

  /** It has answered, and what was sent or what it said is of no use. */
  refused(call: ControlCall, error: unknown): void {
    this.answered();
    const now = this.now();
    this.#refusedAt = now;
    const { loggedAt, count } = this.#refusals.get(call) ?? { loggedAt: Number.NEGATIVE_INFINITY, count: 0 };
    const isDue = now - loggedAt >= REFUSAL_LOG_MS;
    this.#refusals.set(call, isDue ? { loggedAt: now, count: 0 } : { loggedAt, count: count + 1 });
    if (!isDue) return;
    const details = error instanceof ApiError ? error.body?.details?.slice(0, DETAILS_LOGGED) : undefined;
    const facts = { call, ...factsOf(error), details, sinceLastLine: count };
    this.log.error(facts, 'The control plane refuses what this node sends; what it does not take is not granted');
  }
}

/** No stack: the cause is at the other end. */
function factsOf(error: unknown): { status: number; code: string; message: string } {
  if (error instanceof ApiError) return { status: error.status, code: error.code, message: error.message };
  return { status: 200, code: 'UNREADABLE', message: 'The answer does not follow the contract' };
}
