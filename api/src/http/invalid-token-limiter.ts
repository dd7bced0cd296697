/**
 * Limits guesses of tokens: of users, gateways and readers of the metrics. Once a network has sent too many invalid tokens, further
 * ones are refused. Others behind the same network continue with their valid tokens: those of users are known by their signature,
 * those of gateways and readers by an earlier check.
 */
import { AppError } from '@cellhop/contract/errors';
import { networkLimits, type Limited } from '@cellhop/contract/network';
import { createLru } from '../process/lru.ts';
import { createHash } from 'node:crypto';
import type { Ctx } from '../ctx.ts';
import type { RateLimiterRes } from 'rate-limiter-flexible';
import { limitConcurrency } from '../process/concurrency-limiter.ts';
import { limiter, rateLimited, type Rule } from '../db/rate-limiter.ts';

const MINUTE_MS = 60_000;
const CACHE_MAX = 20_000;
/** Checking and counting take at most this many connections of the pool, regardless of the number of networks. */
const QUERY_LIMITS = { runningMax: 2, waitingMax: 2000 };

/** Invalid tokens of one network that are counted in one statement. */
interface Batch {
  points: number;
  counted: Promise<RateLimiterRes>;
}

export class InvalidTokenLimiter {
  /** `wrong` ones were counted, `refused` ones were not checked. */
  readonly counts = { wrong: 0, refused: 0 };
  readonly #validTokens = createLru<string, true>(CACHE_MAX);
  /** Times by network. Each process knows the networks whose guesses it counted, so a valid token needs no query. */
  readonly #refusedUntil = createLru<string, number>(CACHE_MAX);
  readonly #batches = new Map<string, Batch>();
  /** For checks of tokens that were not valid before, in turn by network, and for counting. */
  readonly #queries = limitConcurrency(QUERY_LIMITS);
  readonly #rule: Rule;

  constructor(private readonly ctx: Ctx) {
    this.#rule = { keyPrefix: 'wrong-token', points: ctx.config.wrongTokensPerMinute, duration: MINUTE_MS / 1000 };
  }

  /**
   * @param networks of the client, the widest first
   * @param check rejects with UNAUTHORIZED if the token is invalid
   * @throws AppError RATE_LIMITED, and what `check` rejects with
   */
  async check<T>(networks: readonly string[], token: string | undefined, check: () => Promise<T>): Promise<T> {
    // A request without a token is no guess.
    if (token === undefined) return check();
    const key = createHash('sha256').update(token).digest('base64');
    const isKnown = this.#validTokens.get(key) === true;
    if (!isKnown) this.#throwIfRefused(networks);
    try {
      const result = await (isKnown ? check() : this.#queries.run(check, networks));
      this.#validTokens.set(key, true);
      return result;
    } catch (error) {
      if (error instanceof AppError && error.code === 'UNAUTHORIZED') {
        this.#validTokens.delete(key);
        await this.#count(networks);
      }
      throw error;
    }
  }

  /** For a token that turned out to be invalid without a query. @throws AppError RATE_LIMITED */
  async countWrong(networks: readonly string[]): Promise<void> {
    this.#throwIfRefused(networks);
    await this.#count(networks);
  }

  #throwIfRefused(networks: readonly string[]): void {
    const refusedUntil = Math.max(...networks.map((network) => this.#refusedUntil.get(network) ?? 0));
    const refusedForMs = refusedUntil - Date.now();
    if (refusedForMs <= 0) return;
    this.counts.refused += 1;
    throw AppError.rateLimited(Math.ceil(refusedForMs / 1000));
  }

  /** @throws AppError RATE_LIMITED if a limit is exceeded, also by concurrent requests */
  async #count(networks: readonly string[]): Promise<void> {
    this.counts.wrong += 1;
    for (const limited of networkLimits(networks, this.#rule.points)) await this.#countIn(limited);
  }

  async #countIn({ name: network, limit }: Limited): Promise<void> {
    const used = await this.#addToBatch(network).catch((error: unknown) => {
      // Without the database no token is valid, so this guess has failed anyway.
      this.ctx.log.warn({ err: error }, 'an invalid token could not be counted');
      return undefined;
    });
    if (!used || used.consumedPoints < limit) return;
    this.#refusedUntil.set(network, Date.now() + used.msBeforeNext);
    if (used.consumedPoints > limit) throw rateLimited(used);
  }

  /** @returns the count over all processes */
  #addToBatch(network: string): Promise<RateLimiterRes> {
    const waiting = this.#batches.get(network);
    if (waiting) {
      waiting.points += 1;
      return waiting.counted;
    }
    const batch = { points: 1 } as Batch;
    this.#batches.set(network, batch);
    batch.counted = this.#queries
      .run(() => {
        this.#batches.delete(network);
        return limiter(this.ctx, this.#rule).penalty(network, batch.points);
      })
      .finally(() => {
        // The limiter refused the batch.
        if (this.#batches.get(network) === batch) this.#batches.delete(network);
      });
    return batch.counted;
  }
}
