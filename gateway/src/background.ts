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

/** @returns false if the work has not settled after this time */
export async function settlesWithin(work: Promise<unknown>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<false>((fulfil) => {
    timer = setTimeout(() => fulfil(false), limitMs);
  });
  return Promise.race([work.then(() => true), timeout]).finally(() => clearTimeout(timer));
}
