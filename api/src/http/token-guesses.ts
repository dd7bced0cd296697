/**
 * Guesses of tokens: of users, gateways and readers of the metrics. A network that has presented too many wrong ones is
 * answered without a look at the next. Who shares it with somebody who guesses goes on with the token that he has.
 */
import { AppError } from '@cellhop/contract/errors';
import { createHash } from 'node:crypto';
import type { Ctx } from '../ctx.ts';
import type { RateLimiterRes } from 'rate-limiter-flexible';
import { limiter, rateLimited, type Rule } from '../rate-limiter.ts';
import { takeTurns } from '../turns.ts';

const MINUTE_MS = 60_000;
/** Tokens that were right not long ago, and networks that are refused: the oldest make room. */
const KEPT_MAX = 20_000;
/** Counting takes so many connections to the database at most, whatever the number of networks that guess. */
const COUNTING_TURNS = { runningMax: 2, waitingMax: 2000 };

/** Wrong tokens of one network that go to the database together. */
interface Batch {
  points: number;
  counted: Promise<RateLimiterRes>;
}

export class TokenGuesses {
  /** How many wrong ones were counted, and how many were not looked at. */
  readonly counts = { wrong: 0, refused: 0 };
  readonly #rightTokens = new Recent<true>();
  /** When they may try again. Each process knows of those whose guesses it has counted, so a right token costs no query. */
  readonly #refusedUntil = new Recent<number>();
  readonly #batches = new Map<string, Batch>();
  readonly #inTurn = takeTurns(COUNTING_TURNS);
  readonly #rule: Rule;

  constructor(private readonly ctx: Ctx) {
    this.#rule = { keyPrefix: 'wrong-token', points: ctx.config.wrongTokensPerMinute, duration: MINUTE_MS / 1000 };
  }

  /**
   * @param check rejects with UNAUTHORIZED if the token is wrong
   * @throws AppError RATE_LIMITED, and whatever `check` rejects with
   */
  async check<T>(network: string, token: string | undefined, check: () => Promise<T>): Promise<T> {
    // Who presents none does not guess.
    if (token === undefined) return check();
    const key = createHash('sha256').update(token).digest('base64');
    const refusedForMs = (this.#refusedUntil.get(network) ?? 0) - Date.now();
    if (refusedForMs > 0 && !this.#rightTokens.get(key)) {
      this.counts.refused += 1;
      throw AppError.rateLimited(Math.ceil(refusedForMs / 1000));
    }
    try {
      const result = await check();
      this.#rightTokens.set(key, true);
      return result;
    } catch (error) {
      if (error instanceof AppError && error.code === 'UNAUTHORIZED') {
        this.#rightTokens.delete(key);
        await this.#count(network);
      }
      throw error;
    }
  }

  /** @throws AppError RATE_LIMITED: of many at once no more are answered than of as many one after the other */
  async #count(network: string): Promise<void> {
    this.counts.wrong += 1;
    const used = await this.#share(network).catch((error: unknown) => {
      // Without the database nobody's token is right, and the guess has been answered already.
      this.ctx.log.warn({ err: error }, 'a wrong token was not counted');
      return undefined;
    });
    if (!used || used.consumedPoints < this.#rule.points) return;
    this.#refusedUntil.set(network, Date.now() + used.msBeforeNext);
    if (used.consumedPoints > this.#rule.points) throw rateLimited(used);
  }

  /** @returns what all processes have counted */
  #share(network: string): Promise<RateLimiterRes> {
    const waiting = this.#batches.get(network);
    if (waiting) {
      waiting.points += 1;
      return waiting.counted;
    }
    const batch = { points: 1 } as Batch;
    this.#batches.set(network, batch);
    batch.counted = this.#inTurn(() => {
      this.#batches.delete(network);
      return limiter(this.ctx, this.#rule).penalty(network, batch.points);
    }).finally(() => {
      // Refused its turn.
      if (this.#batches.get(network) === batch) this.#batches.delete(network);
    });
    return batch.counted;
  }
}

/** A map that forgets what was set first. */
class Recent<T> {
  readonly #values = new Map<string, T>();

  get(key: string): T | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: T): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size > KEPT_MAX) this.#values.delete(this.#values.keys().next().value!);
  }

  delete(key: string): void {
    this.#values.delete(key);
  }
}
