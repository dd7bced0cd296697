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
   * @param line `preferred` work has a line of its own, as long as the other, and every second turn while both wait
   * @throws AppError RATE_LIMITED when too much of this origin waits already, UNAVAILABLE when too much waits in all
   */
  take<T>(work: () => Promise<T>, origin?: string, line?: LineName): Promise<T>;
  /** For work that costs something before its turn comes: refuses it at once where `take` would. */
  refuseIfFull(origin: string, line: LineName): void;
  use(): TurnsUse;
}

export type LineName = 'preferred' | 'usual';

/** When it can be tried again: the queue moves on many times in a second. */
const RETRY_AFTER_SECONDS = 1;

interface Waiting {
  begin(): void;
  refuse(error: AppError): void;
}

/** At most `runningMax` pieces of work of this process run at once; the others wait, those of one origin first come first served. */
export function takeTurns({ runningMax, waitingMax, waitingOfOneMax = waitingMax }: TurnsLimits): Turns {
  let running = 0;
  const lines = {
    preferred: new Line(waitingMax, waitingOfOneMax),
    usual: new Line(waitingMax, waitingOfOneMax),
  };
  let last: LineName = 'usual';

  function next(): Waiting | undefined {
    const order: LineName[] = last === 'usual' ? ['preferred', 'usual'] : ['usual', 'preferred'];
    const name = order.find((each) => lines[each].waiting > 0);
    if (!name) return undefined;
    last = name;
    return lines[name].next();
  }

  return {
    async take(work, origin = '', line = 'usual') {
      if (running < runningMax) running++;
      // Whoever finishes hands its place over, so `running` stays as it is.
      else await lines[line].wait(origin);
      try {
        return await work();
      } finally {
        const successor = next();
        if (successor) successor.begin();
        else running--;
      }
    },
    refuseIfFull: (origin, line) => void (running >= runningMax && lines[line].findRoom(origin)),
    use: () => ({
      running,
      waiting: lines.preferred.waiting + lines.usual.waiting,
      refused: lines.preferred.refused + lines.usual.refused,
    }),
  };
}

class Line {
  waiting = 0;
  refused = 0;
  /** The origin that is served next comes first. */
  readonly #queues = new Map<string, Waiting[]>();

  constructor(
    private readonly waitingMax: number,
    private readonly waitingOfOneMax: number,
  ) {}

  wait(origin: string): Promise<void> {
    const crowded = this.findRoom(origin);
    if (crowded) this.#remove(...crowded, (queue) => queue.pop())?.refuse(this.#refusal(unavailable()));
    return new Promise((begin, refuse) => {
      const queue = this.#queues.get(origin) ?? [];
      queue.push({ begin, refuse });
      this.#queues.set(origin, queue);
      this.waiting++;
    });
  }

  /**
   * @returns where the line is full, the origin that wants so much that it gives way to this one
   * @throws AppError RATE_LIMITED, UNAVAILABLE
   */
  findRoom(origin: string): [origin: string, queue: Waiting[]] | undefined {
    const own = this.#queues.get(origin)?.length ?? 0;
    if (own >= this.waitingOfOneMax) throw this.#refusal(AppError.rateLimited(RETRY_AFTER_SECONDS));
    if (this.waiting < this.waitingMax) return undefined;
    const [longest] = [...this.#queues].sort(([, one], [, other]) => other.length - one.length);
    if (!longest || longest[1].length <= own + 1) throw this.#refusal(unavailable());
    return longest;
  }

  next(): Waiting | undefined {
    const [first] = this.#queues;
    if (!first) return undefined;
    const [origin, queue] = first;
    // It goes to the end of the line of origins.
    this.#queues.delete(origin);
    this.#queues.set(origin, queue);
    return this.#remove(origin, queue, () => queue.shift());
  }

  #remove(origin: string, queue: Waiting[], take: (queue: Waiting[]) => Waiting | undefined) {
    const taken = take(queue);
    this.waiting--;
    if (queue.length === 0) this.#queues.delete(origin);
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
