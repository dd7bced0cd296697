interface StaggeredSettings<Result> {
  /** How many attempts there may be; at least one. */
  readonly count: number;
  /** After this time without a result, the next attempt starts while the earlier ones run. */
  readonly delayMs: number;
  /** Whether another attempt may run while others are in progress. If not, it starts when one of them has failed. */
  readonly mayOverlap?: () => boolean;
  /** Called in order, and not after a success. */
  readonly attempt: (index: number) => Promise<Result>;
  /** After such a failure, later attempts would fail as well. */
  readonly isFatal?: (error: unknown) => boolean;
  /** Receives the results that came too late. */
  readonly discard?: (result: Result) => void;
  /** Called once, with the first success or with the failure of all: attempts in progress may be cancelled. */
  readonly settled?: () => void;
}

/**
 * Makes attempts until one succeeds: the next one starts when the latest has failed, or has no result after a delay. Earlier attempts
 * continue, so a slow one is not lost.
 * @throws the error of the first attempt, or the fatal one
 */
export function staggered<Result>(settings: StaggeredSettings<Result>): Promise<Result> {
  return new Promise((fulfil, reject) => new Stagger(settings, fulfil, reject).start());
}

class Stagger<Result> {
  #started = 0;
  #inProgress = 0;
  #isSettled = false;
  #timer: NodeJS.Timeout | undefined;
  #firstError: unknown;

  constructor(
    private readonly settings: StaggeredSettings<Result>,
    private readonly fulfil: (result: Result) => void,
    private readonly reject: (error: unknown) => void,
  ) {}

  start(): void {
    const index = this.#started;
    const { count, delayMs, attempt } = this.settings;
    this.#started += 1;
    this.#inProgress += 1;
    clearTimeout(this.#timer);
    const result = attempt(index);
    // After the attempt, so that timers of the attempt with the same delay fire first.
    this.#timer = this.#started < count ? setTimeout(() => this.#delayed(), delayMs) : undefined;
    result.then(
      (success) => this.#succeeded(success),
      (error: unknown) => this.#failed(index, error),
    );
  }

  #delayed(): void {
    this.#timer = undefined;
    if (this.settings.mayOverlap?.() ?? true) this.start();
  }

  #succeeded(result: Result): void {
    if (this.#isSettled) return this.settings.discard?.(result);
    this.#settle();
    this.fulfil(result);
  }

  #failed(index: number, error: unknown): void {
    this.#inProgress -= 1;
    if (this.#isSettled) return;
    if (index === 0) this.#firstError = error;
    const { count, isFatal } = this.settings;
    if (isFatal?.(error)) return this.#end(error);
    const isLatest = index === this.#started - 1;
    // Without a timer, the next attempt waits for room.
    if (this.#started < count && (isLatest || this.#timer === undefined)) return this.start();
    if (this.#inProgress === 0) this.#end(this.#firstError);
  }

  #end(error: unknown): void {
    this.#settle();
    this.reject(error);
  }

  #settle(): void {
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.settings.settled?.();
  }
}
