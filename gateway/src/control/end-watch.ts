import type { Logger } from 'pino';
import { Loop } from '../background.ts';
import type { Limits } from '../limits.ts';
import type { WatchResponse } from '@cellhop/contract/gateway';
import type { ControlClient } from './control-client.ts';

interface EndWatchSettings {
  readonly control: Pick<ControlClient, 'watch'>;
  readonly limits: Pick<Limits, 'watchSpacingMs' | 'watchRetryMs'>;
  readonly log: Logger;
  /** @returns whether this run did not know all of it */
  readonly onResponse: (response: WatchResponse) => boolean;
}

/** A response after this time shows that the control plane holds the request: then it may be empty. */
const HELD_MS_MIN = 5_000;

/**
 * A long poll for connections that must end and for changes of access, so that both take effect immediately. If the control
 * plane does not hold it or is unavailable, the next attempt backs off; the responses to reports contain the same changes, later.
 */
export class EndWatch {
  readonly #loop: Loop;
  /** One controller per call: `AbortSignal.any` in the client would leak listeners on a signal that lives on. */
  #call = new AbortController();
  #isHeld = false;
  /** Consecutive calls that failed, or returned immediately without a new end. */
  #emptyCalls = 0;

  constructor(private readonly settings: EndWatchSettings) {
    this.#loop = new Loop(settings.log, 'watch for ends', () => this.#poll());
  }

  /** The control plane holds the calls of this node: reports are not needed to learn of ends. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  start(): void {
    this.#loop.start();
  }

  stop(): void {
    this.#loop.stop();
    this.#call.abort();
  }

  /** @returns how long to wait before the next call */
  async #poll(): Promise<number> {
    const { control, onResponse } = this.settings;
    const startedAt = performance.now();
    this.#call = new AbortController();
    try {
      const response = await control.watch(this.#call.signal);
      const wasHeld = performance.now() - startedAt >= HELD_MS_MIN;
      const hasChanges = onResponse(response);
      this.#isHeld ||= wasHeld || hasChanges;
      this.#emptyCalls = wasHeld || hasChanges ? 0 : this.#emptyCalls + 1;
    } catch {
      this.#isHeld = false;
      this.#emptyCalls += 1;
    }
    return this.#pauseMs();
  }

  /** Jitter prevents all nodes of an operator from reconnecting at the same moment. */
  #pauseMs(): number {
    const { watchSpacingMs, watchRetryMs } = this.settings.limits;
    if (this.#emptyCalls === 0) return watchSpacingMs;
    const backoffMs = Math.min(watchRetryMs, watchSpacingMs * 2 ** this.#emptyCalls);
    return backoffMs * (0.5 + Math.random() / 2);
  }
}
