import { settlesWithin } from '../background.ts';
import { TunnelFailure } from '../statuses.ts';

/**
 * Runs a bounded number of calls at once. Of those that wait, the newest is next: after an overload, no call waits behind those of
 * clients that have left.
 */
export class Turns {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(private readonly atOnceMax: number) {}

  /** @throws TunnelFailure `control-plane-unavailable` if the call does not get its turn within this time */
  async run<Result>(withinMs: number, call: () => Promise<Result>): Promise<Result> {
    if (this.#running >= this.atOnceMax) await this.#wait(withinMs);
    else this.#running += 1;
    try {
      return await call();
    } finally {
      const next = this.#waiting.pop();
      if (next) next();
      else this.#running -= 1;
    }
  }

  async #wait(withinMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    if (await settlesWithin(promise, withinMs)) return;
    const index = this.#waiting.indexOf(resolve);
    if (index < 0) return; // Its turn came in the same tick.
    this.#waiting.splice(index, 1);
    throw new TunnelFailure('control-plane-unavailable');
  }
}
