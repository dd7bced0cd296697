/** Work that would only get in its own way if all of it ran at once. */
import { AppError } from '@cellhop/contract/errors';

export interface TurnsLimits {
  runningMax: number;
  waitingMax: number;
  /** Of one origin; all that is allowed to wait, unless given. */
  waitingOfOneMax?: number;
}

export interface TurnsUse {
  running: number;
  waiting: number;
  /** Since the start of the process. */
  refused: number;
}

export interface Turns {
  /**
   * Runs a piece of work in its turn. Never wait for a turn inside of a transaction: those who have one may wait for the connection
   * that it holds.
   * @param origin for whom it is: origins take turns, however much each of them wants
   * @throws AppError RATE_LIMITED when too much of this origin waits already, UNAVAILABLE when too much waits in all
   */
  take<T>(work: () => Promise<T>, origin?: string): Promise<T>;
  use(): TurnsUse;
}

/** When it can be tried again: the queue moves on many times in a second. */
const RETRY_AFTER_SECONDS = 1;

interface Waiting {
  begin(): void;
  refuse(error: AppError): void;
}

/** At most `runningMax` pieces of work of this process run at once; the others wait, those of one origin first come first served. */
export function takeTurns({ runningMax, waitingMax, waitingOfOneMax = waitingMax }: TurnsLimits): Turns {
  let [running, waiting, refused] = [0, 0, 0];
  /** The origin that is served next comes first. */
  const queues = new Map<string, Waiting[]>();

  function wait(origin: string): Promise<void> {
    const own = queues.get(origin)?.length ?? 0;
    if (own >= waitingOfOneMax) throw refusal(AppError.rateLimited(RETRY_AFTER_SECONDS));
    if (waiting >= waitingMax) makeRoom(own);
    return new Promise((begin, refuse) => {
      const queue = queues.get(origin) ?? [];
      queue.push({ begin, refuse });
      queues.set(origin, queue);
      waiting++;
    });
  }

  /** An origin that wants much gives way to one that wants little. */
  function makeRoom(own: number): void {
    const [longest] = [...queues].sort(([, one], [, other]) => other.length - one.length);
    if (!longest || longest[1].length <= own + 1) throw refusal(unavailable());
    remove(longest[0], longest[1], (queue) => queue.pop())?.refuse(refusal(unavailable()));
  }

  function next(): Waiting | undefined {
    const [first] = queues;
    if (!first) return undefined;
    const [origin, queue] = first;
    // It goes to the end of the line of origins.
    queues.delete(origin);
    queues.set(origin, queue);
    return remove(origin, queue, () => queue.shift());
  }

  function remove(origin: string, queue: Waiting[], take: (queue: Waiting[]) => Waiting | undefined) {
    const taken = take(queue);
    waiting--;
    if (queue.length === 0) queues.delete(origin);
    return taken;
  }

  function refusal(error: AppError): AppError {
    refused++;
    return error;
  }

  return {
    async take(work, origin = '') {
      if (running < runningMax) running++;
      // Whoever finishes hands its place over, so `running` stays as it is.
      else await wait(origin);
      try {
        return await work();
      } finally {
        const successor = next();
        if (successor) successor.begin();
        else running--;
      }
    },
    use: () => ({ running, waiting, refused }),
  };
}

function unavailable(): AppError {
  const error = new AppError('UNAVAILABLE');
  error.retryAfterSeconds = RETRY_AFTER_SECONDS;
  return error;
}
