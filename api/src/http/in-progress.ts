/** Limits what is in progress at the same time. */
import { AppError } from '@cellhop/contract/errors';
import type { Limited } from '@cellhop/contract/network';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** Counts and limits what is in progress, for each of its owners: a user, or the networks of a client. */
export class InProgress {
  readonly #counts = new Map<string, number>();

  /** @returns false if the limit of an owner is reached */
  begin(owners: readonly Limited[]): boolean {
    if (owners.some(({ name, limit }) => this.#countFor(name) >= limit)) return false;
    for (const { name } of owners) this.#counts.set(name, this.#countFor(name) + 1);
    return true;
  }

  end(owners: readonly Limited[]): void {
    for (const { name } of owners) {
      const count = this.#countFor(name);
      if (count > 1) this.#counts.set(name, count - 1);
      else this.#counts.delete(name);
    }
  }

  #countFor(name: string): number {
    return this.#counts.get(name) ?? 0;
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

/** Of their own, so that customers who send slowly on purpose do not keep staff from importing. */
export const ticketUploadLimits: TransferLimits = { perUserMax: 1, max: 10, timeoutMs: 2 * 60_000 };

const RETRY_SECONDS = 10;

/** Limits concurrent uploads or downloads. */
export class Transfers {
  readonly #byUser = new InProgress();
  #count = 0;

  constructor(
    private readonly app: FastifyInstance,
    private readonly limits: TransferLimits,
  ) {}

  get count(): number {
    return this.#count;
  }

  /** Before the body is read. @throws AppError RATE_LIMITED, UNAVAILABLE */
  begin(owner: string, { raw }: FastifyReply): void {
    const { max, perUserMax, timeoutMs } = this.limits;
    const owners = [{ name: owner, limit: perUserMax }];
    if (!this.#byUser.begin(owners)) throw AppError.rateLimited(RETRY_SECONDS);
    if (this.#count >= max) {
      this.#byUser.end(owners);
      throw new AppError('UNAVAILABLE');
    }
    this.#count += 1;
    const timeout = timeoutMs === undefined ? undefined : setTimeout(() => raw.destroy(), timeoutMs).unref();
    this.app.listeners.onceClosed(raw, () => {
      clearTimeout(timeout);
      this.#byUser.end(owners);
      this.#count -= 1;
    });
  }
}
