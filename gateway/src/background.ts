import type { Logger } from 'pino';

/**
 * Starts work that nobody waits for. Node ends the process for a rejected promise that nobody handles, and with it all
 * tunnels and unreported totals; here a failure is one line in the log. Lint refuses `void` in front of a promise.
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
 * Runs a task again and again, never twice at the same time, whatever becomes of it. It is logged when a task begins to
 * fail and when it works again. The result stops it.
 */
export function repeat({ log, task, everyMs }: RepeatSettings, work: () => Promise<void> | void): () => void {
  let isRunning = false;
  let isFailing = false;

  async function run(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    try {
      await work();
      if (isFailing) log.info({ task }, 'A repeated task works again');
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

/** @returns false if it goes on after this time */
export async function endsWithin(work: Promise<unknown>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((fulfil) => {
    timer = setTimeout(() => fulfil(false), limitMs);
  });
  return Promise.race([work.then(() => true), late]).finally(() => clearTimeout(timer));
}
