import type { Logger } from 'pino';
import { inBackground } from '../background.ts';
import type { Limits } from '../limits.ts';
import type { WatchAnswer } from '@cellhop/contract/gateway';
import type { ControlClient } from './control-client.ts';

interface EndWatchSettings {
  readonly control: Pick<ControlClient, 'watch'>;
  readonly limits: Pick<Limits, 'watchSpacingMs' | 'watchRetryMs' | 'helloIntervalMs'>;
  readonly log: Logger;
  /** @returns whether this node did not know it */
  readonly told: (answer: WatchAnswer) => boolean;
}

/** A call that was answered after this time was held: an answer without news is then nothing unusual. */
const HELD_MS_MIN = 5_000;

/**
 * Always has one call at the control plane that is held until connections have to end, or others may use them, so that it takes effect
 * at once. A control
 * plane that does not know the call, does not hold it or is away is asked again after growing pauses; reports tell the
 * same, later.
 */
export class EndWatch {
  readonly #stopping = new AbortController();
  /** Of one call: the client joins signals, and a signal that lives on keeps all that were joined with it. */
  #call = new AbortController();
  #isHeld = false;
  /** Answers in a row that came at once and told nothing new, or did not come. */
  #vainCalls = 0;

  constructor(private readonly settings: EndWatchSettings) {}

  /** The control plane holds calls of this node: reports need not ask for ends. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  start(): void {
    inBackground(this.settings.log, 'watch for ends', this.#run());
  }

  stop(): void {
    this.#stopping.abort();
    this.#call.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const pauseMs = await this.#ask();
      if (!signal.aborted) await pause(pauseMs, signal);
    }
  }

  /** @returns how long to wait before the next call */
  async #ask(): Promise<number> {
    const { control, told, limits } = this.settings;
    const begunAt = performance.now();
    this.#call = new AbortController();
    try {
      const answer = await control.watch(this.#call.signal);
      if (answer === undefined) {
        this.#isHeld = false;
        return limits.helloIntervalMs;
      }
      const wasHeld = performance.now() - begunAt >= HELD_MS_MIN;
      const isNews = told(answer);
      this.#isHeld ||= wasHeld || isNews;
      this.#vainCalls = wasHeld || isNews ? 0 : this.#vainCalls + 1;
    } catch {
      this.#isHeld = false;
      this.#vainCalls += 1;
    }
    return this.#pauseMs();
  }

  /** Jitter keeps the nodes of an operator from coming back in one moment. */
  #pauseMs(): number {
    const { watchSpacingMs, watchRetryMs } = this.settings.limits;
    if (this.#vainCalls === 0) return watchSpacingMs;
    const backoffMs = Math.min(watchRetryMs, watchSpacingMs * 2 ** this.#vainCalls);
    return backoffMs * (0.5 + Math.random() / 2);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((fulfil) => {
    const over = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', over);
      fulfil();
    };
    const timer = setTimeout(over, ms);
    signal.addEventListener('abort', over, { once: true });
  });
}
