/** Limits how much work runs at once, and queues the rest fairly. */
import { AppError } from '@cellhop/contract/errors';

export interface ConcurrencyLimits {
  runningMax: number;
  /** For each priority. */
  waitingMax: number;
  /** For one source. Default: `waitingMax`. */
  waitingPerSourceMax?: number;
}

export interface ConcurrencyUsage {
  running: number;
  waiting: number;
  /** Total since the start of the process. */
  refused: number;
}

/** Each priority has a queue of its own. While both wait, they are served alternately. */
export type Priority = 'high' | 'normal';

export interface ConcurrencyLimiter {
  /**
   * Runs the work as soon as a slot is free. Do not call it inside a transaction: the work that holds the slots may wait for the
   * connection that the transaction holds.
   * @param source sources are served round-robin, so one with a lot of work does not delay the others
   * @throws AppError RATE_LIMITED when too much work of this source waits, UNAVAILABLE when too much waits in total
   */
  run<T>(work: () => Promise<T>, source?: string, priority?: Priority): Promise<T>;
  /** Throws what `run` would throw, before the caller does expensive preparations. */
  throwIfFull(source: string, priority: Priority): void;
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
    async run(work, source = '', priority = 'normal') {
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
    throwIfFull: (source, priority) => void (running >= runningMax && queues[priority].findEvictable(source)),
    usage: () => ({
      running,
      waiting: queues.high.waiting + queues.normal.waiting,
      refused: queues.high.refused + queues.normal.refused,
    }),
  };
}

/** A queue that serves its sources round-robin. */
class FairQueue {
  waiting = 0;
  refused = 0;
  /** The source that is served next comes first. */
  readonly #bySource = new Map<string, QueuedWork[]>();

  constructor(
    private readonly waitingMax: number,
    private readonly waitingPerSourceMax: number,
  ) {}

  enqueue(source: string): Promise<void> {
    const evictable = this.findEvictable(source);
    if (evictable) this.#remove(...evictable, (queue) => queue.pop())?.refuse(this.#refusal(unavailable()));
    return new Promise((start, refuse) => {
      const queue = this.#bySource.get(source) ?? [];
      queue.push({ start, refuse });
      this.#bySource.set(source, queue);
      this.waiting++;
    });
  }

  /**
   * @returns if the queue is full, the source with the most waiting work, whose last piece gives way; undefined if there is room
   * @throws AppError RATE_LIMITED, UNAVAILABLE if there is no room for this source
   */
  findEvictable(source: string): [source: string, queue: QueuedWork[]] | undefined {
    const own = this.#bySource.get(source)?.length ?? 0;
    if (own >= this.waitingPerSourceMax) throw this.#refusal(AppError.rateLimited(RETRY_AFTER_SECONDS));
    if (this.waiting < this.waitingMax) return undefined;
    const [longest] = [...this.#bySource].sort(([, one], [, other]) => other.length - one.length);
    if (!longest || longest[1].length <= own + 1) throw this.#refusal(unavailable());
    return longest;
  }

  dequeue(): QueuedWork | undefined {
    const [first] = this.#bySource;
    if (!first) return undefined;
    const [source, queue] = first;
    // Deleting and setting moves the source to the end of the round.
    this.#bySource.delete(source);
    this.#bySource.set(source, queue);
    return this.#remove(source, queue, () => queue.shift());
  }

  #remove(source: string, queue: QueuedWork[], take: (queue: QueuedWork[]) => QueuedWork | undefined) {
    const taken = take(queue);
    this.waiting--;
    if (queue.length === 0) this.#bySource.delete(source);
    return taken;
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
