/** Limits what is in progress at the same time. */
import { AppError } from '@cellhop/contract/errors';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** Counts and limits what is in progress per owner. */
export class InProgress {
  readonly #counts = new Map<string, number>();

  constructor(private readonly max: number) {}

  /** @returns false if the limit is reached */
  begin(owner: string): boolean {
    const count = this.countFor(owner);
    if (count >= this.max) return false;
    this.#counts.set(owner, count + 1);
    return true;
  }

  end(owner: string): void {
    const count = this.countFor(owner);
    if (count > 1) this.#counts.set(owner, count - 1);
    else this.#counts.delete(owner);
  }

  countFor(owner: string): number {
    return this.#counts.get(owner) ?? 0;
  }
}

interface TransferLimits {
  perUserMax: number;
  max: number;
  timeoutMs?: number;
}

/** Each keeps a page of rows in memory until its client has read it. The time limit stops clients that read slowly on purpose. */
export const downloadLimits: TransferLimits = { perUserMax: 2, max: 50, timeoutMs: 10 * 60_000 };
/** Each file is in memory until it has been read. */
export const uploadLimits: TransferLimits = { perUserMax: 1, max: 3 };

const RETRY_SECONDS = 10;

/** Limits concurrent uploads or downloads. */
export class Transfers {
  readonly #byUser: InProgress;
  #count = 0;

  constructor(
    private readonly app: FastifyInstance,
    private readonly limits: TransferLimits,
  ) {
    this.#byUser = new InProgress(limits.perUserMax);
  }

  get count(): number {
    return this.#count;
  }

  /** Before the body is read. @throws AppError RATE_LIMITED, UNAVAILABLE */
  begin(owner: string, { raw }: FastifyReply): void {
    const { max, timeoutMs } = this.limits;
    if (!this.#byUser.begin(owner)) throw AppError.rateLimited(RETRY_SECONDS);
    if (this.#count >= max) {
      this.#byUser.end(owner);
      throw new AppError('UNAVAILABLE');
    }
    this.#count += 1;
    const timeout = timeoutMs === undefined ? undefined : setTimeout(() => raw.destroy(), timeoutMs).unref();
    this.app.listeners.onceClosed(raw, () => {
      clearTimeout(timeout);
      this.#byUser.end(owner);
      this.#count -= 1;
    });
  }
}
