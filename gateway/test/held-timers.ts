import { vi } from 'vitest';

/**
 * Timers of one delay end when the test says, and not when it takes long: no other timer may have this delay. All others run as ever.
 * Its caller needs modules of its own (vitest.config.ts) and `vi.restoreAllMocks()`.
 */
export class HeldTimers {
  readonly #running = new Map<unknown, () => void>();

  constructor(delayMs: number) {
    const { setTimeout: start, clearTimeout: clear } = globalThis;
    const hold = (task: () => void, afterMs?: number, ...values: unknown[]) => {
      const isHeld = afterMs === delayMs;
      const timer = start(isHeld ? () => {} : task, afterMs, ...values);
      if (isHeld) this.#running.set(timer, task);
      return timer;
    };
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(hold as typeof setTimeout);
    vi.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
      this.#running.delete(timer);
      clear(timer);
    });
  }

  get running(): number {
    return this.#running.size;
  }

  /** @returns what ends the one that was started first, unless it has been cleared by then */
  first(): () => void {
    return this.at(0);
  }

  /** The same for the one at this place, in the order of their start. */
  at(place: number): () => void {
    const [timer, task] = [...this.#running][place]!;
    return () => void (this.#running.delete(timer) && task());
  }
}
