/** Limits how much work runs at once, and queues the rest fairly. */
import { AppError } from '@cellhop/contract/errors';
import { networkShare } from '@cellhop/contract/network';

export interface ConcurrencyLimits {
  runningMax: number;
  /** For each priority. */
  waitingMax: number;
  /** For one source, of which those within it have a share (`networkShare`). Default: `waitingMax`. */
  waitingPerSourceMax?: number;
}

export interface ConcurrencyUsage {
  running: number;
  waiting: number;
  /** Total since the start of the process. */
  refused: number;
}

/** Such as a user, or the networks of a client, the widest first. */
export type Source = readonly string[];

/** Each priority has a queue of its own. While both wait, they are served alternately. */
export type Priority = 'high' | 'normal';

export interface ConcurrencyLimiter {
  /**
   * Runs the work as soon as a slot is free. Do not call it inside a transaction: the work that holds the slots may wait for the
   * connection that the transaction holds.
   * @param source sources are served round-robin, so one with a lot of work does not delay the others
   * @throws AppError RATE_LIMITED when too much work of this source waits, UNAVAILABLE when too much waits in total
   */
  run<T>(work: () => Promise<T>, source?: Source, priority?: Priority): Promise<T>;
  /** Throws what `run` would throw, before the caller does expensive preparations. */
  throwIfFull(source: Source, priority: Priority): void;
  usage(): ConcurrencyUsage;
}

/** The queue moves many times a second. */
const RETRY_AFTER_SECONDS = 1;

interface QueuedWork {
  start(): void;
  refuse(error: AppError): void;
}

/** Runs at most `runningMax` pieces of work at once in this process. Work of one source is first in, first out. */
export function limitConcurrency(limits: ConcurrencyLimits): ConcurrencyLimiter {
  const { runningMax, waitingMax, waitingPerSourceMax = waitingMax } = limits;
  let running = 0;
  const queues = {
    high: new FairQueue(waitingMax, waitingPerSourceMax),
    normal: new FairQueue(waitingMax, waitingPerSourceMax),
  };
  let lastPriority: Priority = 'normal';

  function dequeue(): QueuedWork | undefined {
    const order: Priority[] = lastPriority === 'normal' ? ['high', 'normal'] : ['normal', 'high'];
    const priority = order.find((each) => queues[each].waiting > 0);
    if (!priority) return undefined;
    lastPriority = priority;
    return queues[priority].dequeue();
  }

  return {
    async run(work, source = [''], priority = 'normal') {
      if (running < runningMax) running++;
      // Finished work hands its slot over, so `running` does not change.
      else await queues[priority].enqueue(source);
      try {
        return await work();
      } finally {
        const next = dequeue();
        if (next) next.start();
        else running--;
      }
    },
    throwIfFull: (source, priority) => void (running >= runningMax && queues[priority].throwIfFull(source)),
    usage: () => ({
      running,
      waiting: queues.high.waiting + queues.normal.waiting,
      refused: queues.high.refused + queues.normal.refused,
    }),
  };
}

/** The waiting work of a source, or of all sources within a wider one. */
class Waiting {
  count = 0;
  readonly own: QueuedWork[] = [];
  /** The source that is served next comes first. */
  readonly #within = new Map<string, Waiting>();

  find(source: string): Waiting | undefined {
    return this.#within.get(source);
  }

  findOrAdd(source: string): Waiting {
    const found = this.#within.get(source) ?? new Waiting();
    this.#within.set(source, found);
    return found;
  }

  /** The name and the count of the source with the most. */
  largest(): [name: string, count: number] | undefined {
    let largest: [string, number] | undefined;
    for (const [name, { count }] of this.#within) if (count > (largest?.[1] ?? 0)) largest = [name, count];
    return largest;
  }

  /** In turn. */
  takeFirst(): QueuedWork | undefined {
    const [first] = this.#within;
    if (!first) return this.#take(this.own.shift());
    const [name, waiting] = first;
    // Deleting and setting moves the source to the end of the round.
    this.#within.delete(name);
    const taken = waiting.takeFirst();
    if (waiting.count > 0) this.#within.set(name, waiting);
    return this.#take(taken);
  }

  /** The last of the source with the most, which is within the named one if that has as much as any. */
  takeFromLargest(preferred: readonly string[]): QueuedWork | undefined {
    const largest = this.largest();
    if (!largest) return this.#take(this.own.pop());
    const [own = '', ...withinOwn] = preferred;
    const name = this.find(own)?.count === largest[1] ? own : largest[0];
    const waiting = this.find(name)!;
    const taken = waiting.takeFromLargest(withinOwn);
    if (waiting.count === 0) this.#within.delete(name);
    return this.#take(taken);
  }

  #take(work: QueuedWork | undefined): QueuedWork | undefined {
    if (work) this.count--;
    return work;
  }
}

/** A queue that serves its sources round-robin, the widest first and those within each in turn. */
class FairQueue {
  refused = 0;
  readonly #all = new Waiting();

  constructor(
    private readonly waitingMax: number,
    private readonly waitingPerSourceMax: number,
  ) {}

  get waiting(): number {
    return this.#all.count;
  }

  enqueue(source: Source): Promise<void> {
    this.throwIfFull(source);
    if (this.waiting >= this.waitingMax) this.#all.takeFromLargest(source)?.refuse(this.#refusal(unavailable()));
    return new Promise((start, refuse) => {
      let waiting = this.#all;
      waiting.count++;
      for (const name of source) {
        waiting = waiting.findOrAdd(name);
        waiting.count++;
      }
      waiting.own.push({ start, refuse });
    });
  }

  /**
   * If the queue is full, the last work of the source with the most gives way to one with less.
   * @throws AppError RATE_LIMITED, UNAVAILABLE if there is no room for this source
   */
  throwIfFull(source: Source): void {
    let own: Waiting | undefined = this.#all;
    const isFull = this.waiting >= this.waitingMax;
    let isBehind: boolean | undefined;
    for (const [level, name] of source.entries()) {
      const largest: number = (isFull && own?.largest()?.[1]) || 0;
      own = own?.find(name);
      const count = own?.count ?? 0;
      if (count >= networkShare(this.waitingPerSourceMax, level))
        throw this.#refusal(AppError.rateLimited(RETRY_AFTER_SECONDS));
      // Where another source has more, its work gives way; otherwise work within the same source.
      if (largest > count) isBehind ??= largest > count + 1;
    }
    if (isFull && !isBehind) throw this.#refusal(unavailable());
  }

  dequeue(): QueuedWork | undefined {
    return this.#all.takeFirst();
  }

  #refusal(error: AppError): AppError {
    this.refused++;
    return error;
  }
}

function unavailable(): AppError {
  const error = new AppError('UNAVAILABLE');
  error.retryAfterSeconds = RETRY_AFTER_SECONDS;
  return error;
}
