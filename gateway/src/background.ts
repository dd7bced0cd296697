import type { Logger } from 'pino';

/**
 * Starts work that is not awaited. An unhandled rejection would terminate the process, and with it all tunnels and
 * unreported totals; here a failure is one log line. Lint forbids `void` in front of a promise.
 */
export function inBackground(log: Logger, task: string, work: Promise<unknown>): void {
  work.catch((error: unknown) => log.error({ err: error, task }, 'A background task failed'));
}

interface RepeatSettings {
  readonly log: Logger;
  readonly task: string;
  readonly everyMs: number;
}

/**
 * Runs a task at an interval, never concurrently with itself, even if it fails. Logs when the task starts to fail and when
 * it succeeds again.
 * @returns a function that stops it
 */
export function repeat({ log, task, everyMs }: RepeatSettings, work: () => Promise<void> | void): () => void {
  let isRunning = false;
  let isFailing = false;

  async function run(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    try {
      await work();
      if (isFailing) log.info({ task }, 'A repeated task succeeds again');
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.error({ err: error, task }, 'A repeated task fails');
      isFailing = true;
    } finally {
      isRunning = false;
    }
  }

  const timer = setInterval(() => inBackground(log, task, run()), everyMs);
  return () => clearInterval(timer);
}

/** Runs a task again and again, each time after the pause that it returns. */
export class Loop {
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;
  #isRequested = false;
  #isStopped = false;

  /** @param run returns the milliseconds until the next run; it must not reject, because that would end the loop */
  constructor(
    private readonly log: Logger,
    private readonly task: string,
    private readonly run: () => Promise<number>,
  ) {}

  start(): void {
    inBackground(this.log, this.task, this.#runOnce());
  }

  /** Ends the pause; if the task is running, it runs again immediately afterwards. */
  request(): void {
    if (this.#isRunning) this.#isRequested = true;
    else this.#schedule(0);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #runOnce(): Promise<void> {
    this.#isRunning = true;
    this.#isRequested = false;
    const pauseMs = await this.run();
    this.#isRunning = false;
    this.#schedule(this.#isRequested ? 0 : pauseMs);
  }

  #schedule(delayMs: number): void {
    clearTimeout(this.#timer);
    if (!this.#isStopped) this.#timer = setTimeout(() => this.start(), delayMs);
  }
}

/** @returns false if the work has not settled after this time */
export async function settlesWithin(work: Promise<unknown>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<false>((fulfil) => {
    timer = setTimeout(() => fulfil(false), limitMs);
  });
  return Promise.race([work.then(() => true), timeout]).finally(() => clearTimeout(timer));
}
