import { TokenBucket } from '../connections/token-bucket.ts';
import type { Limits } from '../limits.ts';

/** Client addresses of one port with their own rate; the oldest is evicted. */
const CLIENTS_MAX = 256;

/** The rates of questions on one port, in total and of each client address. */
export class QuestionLimiter {
  readonly #all: TokenBucket;
  readonly #byClient = new Map<string, TokenBucket>();

  constructor(private readonly limits: Limits) {
    this.#all = new TokenBucket(limits.dnsQuestionsPerSecond, limits.dnsQuestionsBurst);
  }

  take(client: string): boolean {
    return this.#bucketOf(client).take() && this.#all.take();
  }

  #bucketOf(client: string): TokenBucket {
    const known = this.#byClient.get(client);
    if (known) return known;
    const { dnsQuestionsPerSecondPerClient, dnsQuestionsBurstPerClient } = this.limits;
    const bucket = new TokenBucket(dnsQuestionsPerSecondPerClient, dnsQuestionsBurstPerClient);
    this.#byClient.set(client, bucket);
    const [oldest] = this.#byClient.keys();
    if (oldest !== undefined && this.#byClient.size > CLIENTS_MAX) this.#byClient.delete(oldest);
    return bucket;
  }
}
