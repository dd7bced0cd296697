import { networkLimits } from '@cellhop/contract/network';
import { BoundedMap } from '../bounded-map.ts';
import { TokenBucket } from '../connections/token-bucket.ts';
import type { Limits } from '../limits.ts';

type RateLimits = Pick<Limits, 'tlsHandshakesPerSecond' | 'tlsHandshakesBurst' | 'tlsHandshakeNetworks'>;

/** A TLS handshake takes the node some twenty times the processor time of a plain client, and a stranger next to none. */
export class HandshakeRate {
  readonly #buckets: BoundedMap<string, TokenBucket>;

  constructor(
    private readonly limits: RateLimits,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#buckets = new BoundedMap(limits.tlsHandshakeNetworks);
  }

  /** @param networks of the client, the widest first */
  allows(networks: readonly string[]): boolean {
    return networkLimits(networks, 1).every(({ name, limit: share }) => this.#bucket(name, share).take(this.now()));
  }

  #bucket(network: string, share: number): TokenBucket {
    const { tlsHandshakesPerSecond: perSecond, tlsHandshakesBurst: burst } = this.limits;
    const bucket = this.#buckets.get(network) ?? new TokenBucket(perSecond * share, burst * share, this.now);
    this.#buckets.set(network, bucket);
    return bucket;
  }
}
