import { ApiError } from '@cellhop/contract/client';
import type { Logger } from 'pino';

const WORKING = 'working';

/** Logs when the control plane stops answering or refuses us, and when it answers again; not each call in between. */
export class ControlHealth {
  #state = WORKING;

  constructor(private readonly log: Logger) {}

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
}

/** No stack: the cause is at the other end. */
function factsOf(error: unknown): { status: number; code: string; message: string } {
  if (error instanceof ApiError) return { status: error.status, code: error.code, message: error.message };
  return { status: 200, code: 'UNREADABLE', message: 'The answer does not follow the contract' };
}
