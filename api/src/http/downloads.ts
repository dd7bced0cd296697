/** Limits concurrent streaming downloads. Each keeps a page of rows in memory until its client has read it. */
import { AppError } from '@cellhop/contract/errors';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { InProgress } from './in-progress.ts';

const DOWNLOADS_PER_USER_MAX = 2;
const DOWNLOADS_MAX = 50;
const RETRY_SECONDS = 10;
/** Stops clients that read slowly on purpose. */
const DOWNLOAD_TIMEOUT_MS = 10 * 60_000;
const EVERYBODY = 'everybody';

export class Downloads {
  readonly #byUser = new InProgress(DOWNLOADS_PER_USER_MAX);
  readonly #total = new InProgress(DOWNLOADS_MAX);

  constructor(private readonly app: FastifyInstance) {}

  get count(): number {
    return this.#total.countFor(EVERYBODY);
  }

  /** @throws AppError RATE_LIMITED, UNAVAILABLE */
  begin(owner: string, { raw }: FastifyReply): void {
    if (!this.#byUser.begin(owner)) throw AppError.rateLimited(RETRY_SECONDS);
    if (!this.#total.begin(EVERYBODY)) {
      this.#byUser.end(owner);
      throw new AppError('UNAVAILABLE');
    }
    const timeout = setTimeout(() => raw.destroy(), DOWNLOAD_TIMEOUT_MS).unref();
    this.app.listeners.onceClosed(raw, () => {
      clearTimeout(timeout);
      this.#byUser.end(owner);
      this.#total.end(EVERYBODY);
    });
  }
}
