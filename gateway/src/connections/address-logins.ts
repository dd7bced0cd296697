import type { Authorization } from '@cellhop/contract/gateway';
import type { Logger } from 'pino';
import { inBackground } from '../background.ts';
import { BoundedMap } from '../bounded-map.ts';
import type { ControlClient } from '../control/control-client.ts';
import type { Limits } from '../limits.ts';
import { TunnelFailure } from '../statuses.ts';
import type { Credential } from './access.ts';
import type { Connection, Login } from './connection.ts';
import { refusalCause } from './end-reasons.ts';
import { RefusalCache } from './refusal-cache.ts';

export type Granted = Extract<Authorization, { isAuthorized: true }>;

interface AddressLoginsSettings {
  readonly control: Pick<ControlClient, 'authorizeAddress'>;
  readonly limits: Pick<
    Limits,
    'addressLoginsCached' | 'addressRefusalCacheMs' | 'credentialsCacheMs' | 'refusalsCached'
  >;
  readonly log: Logger;
  /** Calls `authorize`, once for concurrent calls. */
  readonly authorizeAddress: (address: string) => Promise<unknown>;
  /** @throws TunnelFailure */
  readonly admit: (authorization: Granted, credential: Credential) => Connection;
}

interface CachedLogin {
  readonly connection: Connection;
  checkedAt: number;
}

/** Caches which client addresses open a connection without a password, and which do not, so that few clients cost a call. */
export class AddressLogins {
  readonly #byAddress: BoundedMap<string, CachedLogin>;
  readonly #refusals: RefusalCache;
  /** Of `clear`. A response to a call from before the last one may be outdated, so it is not cached. */
  #clears = 0;

  constructor(private readonly settings: AddressLoginsSettings) {
    const { addressLoginsCached, addressRefusalCacheMs, refusalsCached } = settings.limits;
    this.#byAddress = new BoundedMap(addressLoginsCached);
    this.#refusals = new RefusalCache(addressRefusalCacheMs, refusalsCached);
  }

  /**
   * The open connection of this run that lists a client's address.
   * @throws TunnelFailure if the control plane has refused the address recently
   */
  find(address: string): Login | undefined {
    const cached = this.#byAddress.get(address);
    const credential: Credential = { kind: 'address', address };
    if (!cached || cached.connection.isEnding || !cached.connection.access.allows(credential)) {
      this.#byAddress.delete(address);
      this.#refusals.check(address);
      return undefined;
    }
    const now = performance.now();
    if (now - cached.checkedAt >= this.settings.limits.credentialsCacheMs) {
      cached.checkedAt = now;
      inBackground(this.settings.log, 'allow-list', this.#recheck(address));
    }
    return { connection: cached.connection, credential };
  }

  /** @throws TunnelFailure `invalid-credentials`, also if the control plane is unavailable, or `address-ambiguous` */
  async authorize(address: string): Promise<Connection> {
    const clears = this.#clears;
    const authorization = await this.settings.control.authorizeAddress(address).catch(() => undefined);
    // Clients with a password also try without it first: they must get the challenge even if the control plane is unavailable.
    if (!authorization) throw new TunnelFailure('invalid-credentials');
    if (!authorization.isAuthorized || authorization.state === 'ended') {
      const cause = refusalCause(authorization.reason);
      this.#byAddress.delete(address);
      if (clears === this.#clears) this.#refusals.add(address, cause);
      throw new TunnelFailure(cause);
    }
    const connection = this.settings.admit(authorization, { kind: 'address', address });
    if (clears === this.#clears) this.#byAddress.set(address, { connection, checkedAt: performance.now() });
    return connection;
  }

  /** Allow-lists have changed: the control plane checks each address again. */
  clear(): void {
    this.#clears += 1;
    this.#byAddress.clear();
    this.#refusals.clear();
  }

  /**
   * Another connection may have listed the address in the meantime, and the announcement may be lost: equally specific, then a
   * password is required; more specific, then the address is its. While the control plane is unavailable, nothing changes.
   */
  async #recheck(address: string): Promise<void> {
    await this.settings.authorizeAddress(address).catch(() => undefined);
  }
}
