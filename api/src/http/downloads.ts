/** Answers that are made while they are read: each keeps a part of a table in memory until its reader wants the next. */
import { AppError } from '@cellhop/contract/errors';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { InProgress } from './in-progress.ts';

const DOWNLOADS_PER_USER_MAX = 2;
const DOWNLOADS_MAX = 50;
const RETRY_SECONDS = 10;
/** A reader who is so slow on purpose would otherwise stay for ever. */
const DOWNLOAD_TIMEOUT_MS = 10 * 60_000;
const EVERYBODY = 'everybody';

export class Downloads {
  readonly #ofUsers = new InProgress(DOWNLOADS_PER_USER_MAX);
  readonly #ofAll = new InProgress(DOWNLOADS_MAX);

  constructor(private readonly app: FastifyInstance) {}

  get count(): number {
    return this.#ofAll.countOf(EVERYBODY);
  }

  /** @throws AppError RATE_LIMITED, UNAVAILABLE */
  begin(owner: string, { raw }: FastifyReply): void {
    if (!this.#ofUsers.begin(owner)) throw AppError.rateLimited(RETRY_SECONDS);
    if (!this.#ofAll.begin(EVERYBODY)) {
      this.#ofUsers.end(owner);
      throw new AppError('UNAVAILABLE');
    }
    const tooLong = setTimeout(() => raw.destroy(), DOWNLOAD_TIMEOUT_MS).unref();
    this.app.listeners.whenOver(raw, () => {
      clearTimeout(tooLong);
      this.#ofUsers.end(owner);
      this.#ofAll.end(EVERYBODY);
    });
  }
}
