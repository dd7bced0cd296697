/** Limits concurrent uploads of files. Each is in memory until it has been read. */
import { AppError } from '@cellhop/contract/errors';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { InProgress } from './in-progress.ts';

const UPLOADS_PER_USER_MAX = 1;
const UPLOADS_MAX = 3;
const RETRY_SECONDS = 10;
const EVERYBODY = 'everybody';

export class Uploads {
  readonly #byUser = new InProgress(UPLOADS_PER_USER_MAX);
  readonly #total = new InProgress(UPLOADS_MAX);

  constructor(private readonly app: FastifyInstance) {}

  get count(): number {
    return this.#total.countFor(EVERYBODY);
  }

  /** Before the body is read. @throws AppError RATE_LIMITED, UNAVAILABLE */
  begin(userId: string, { raw }: FastifyReply): void {
    if (!this.#byUser.begin(userId)) throw AppError.rateLimited(RETRY_SECONDS);
    if (!this.#total.begin(EVERYBODY)) {
      this.#byUser.end(userId);
      throw new AppError('UNAVAILABLE');
    }
    this.app.listeners.onceClosed(raw, () => {
      this.#byUser.end(userId);
      this.#total.end(EVERYBODY);
    });
  }
}
