import type { Exit } from '../exits/exit.ts';
import type { RefusedDestinations } from '../exits/refused-destinations.ts';
import type { EndReason, Flow } from '../flows/flow.ts';
import type { Credit } from '../metering/credit.ts';
import { LinkedList } from '../linked-list.ts';
import { RateEstimator } from '../metering/rate.ts';
import type { Limits } from '../limits.ts';
import { Access, type Credential } from './access.ts';
import { ConnectionLimits } from './connection-limits.ts';
import { LastRefusal } from './last-refusal.ts';
import { RecentAddresses, RecentClients } from './recent-clients.ts';
import { TokenBucket } from './token-bucket.ts';

const DNS_BUSY_MS = 10_000;

/** Limits what a connection may start or relay in a second. */
interface FlowRates {
  readonly newTunnels: TokenBucket;
  /** Limits new destinations of UDP associations. Datagrams without payload count as well. */
  readonly newDestinations: TokenBucket;
  /** In both directions. */
  readonly datagrams: TokenBucket;
}

/** An open connection in this run: its access, exit, credit and flows. */
export class Connection {
  readonly access = new Access();
  readonly recentAddresses = new RecentAddresses();
  readonly lastRefusal = new LastRefusal();
  readonly recentClients: RecentClients;
  /** Undefined while only clients without a password have used the connection. */
  username: string | undefined;
  readonly limits: ConnectionLimits;
  readonly flows = new LinkedList<Flow>();
  /** The flows over UDP among them. */
  associations = 0;
  lastTunnelAt = performance.now();
  /** When a question was last accepted on its DNS port. */
  lastDnsAt = Number.NEGATIVE_INFINITY;
  /** When the control plane last checked the password. */
  credentialsCheckedAt = performance.now();
  readonly rates: FlowRates;
  readonly rate: RateEstimator;
  /** No new tunnel starts, and the final total is being delivered. */
  isEnding = false;
  acknowledgeEnd: () => void = () => {};
  #passwordLogin: PasswordLogin | undefined;
  /** Resolved when the control plane has acknowledged the final total. */
  readonly endAcknowledged = new Promise<void>((fulfil) => {
    this.acknowledgeEnd = fulfil;
  });

  constructor(
    readonly id: string,
    readonly exit: Exit,
    readonly credit: Credit,
    limits: Limits,
  ) {
    const { newTunnelsPerSecond, newTunnelsBurst, datagramsPerSecond } = limits;
    this.rates = {
      newTunnels: new TokenBucket(newTunnelsPerSecond, newTunnelsBurst),
      newDestinations: new TokenBucket(newTunnelsPerSecond, newTunnelsBurst),
      datagrams: new TokenBucket(datagramsPerSecond, datagramsPerSecond),
    };
    this.limits = new ConnectionLimits(limits.connectionLimitsMs);
    this.recentClients = new RecentClients(this.access, limits);
    this.rate = new RateEstimator(credit.usedBytes, performance.now());
  }

  /** Used by tunnels now, or by DNS questions in the last seconds: it needs grants in advance. */
  isBusy(now: number): boolean {
    return this.flows.size > 0 || now - this.lastDnsAt < DNS_BUSY_MS;
  }

  /** When it was last used; now, if it has tunnels. */
  get lastUsedAt(): number {
    return this.flows.size > 0 ? performance.now() : Math.max(this.lastTunnelAt, this.lastDnsAt);
  }

  /** Tunnels keep their login: those of one password the same object. */
  loginByPassword(digest: Buffer): Login {
    if (this.#passwordLogin?.credential.digest !== digest)
      this.#passwordLogin = { connection: this, credential: { kind: 'password', digest } };
    return this.#passwordLogin;
  }

  closeFlows(reason: EndReason): void {
    for (const flow of this.flows) flow.close(reason);
  }

  /** The operator refuses other destinations than before: closes tunnels to them. Datagrams are judged one by one. */
  closeRefusedFlows(refused: Pick<RefusedDestinations, 'refuses'>): void {
    for (const flow of this.flows) {
      if (flow.destination === undefined || !refused.refuses(flow.destination)) continue;
      this.lastRefusal.record('destination-refused');
      flow.close('destination-refused');
    }
  }

  /** After a change of access: closes the flows whose credential is no longer valid. */
  closeForbiddenFlows(): void {
    for (const flow of this.flows)
      if (!this.access.allows(flow.login.credential))
        flow.close(flow.login.credential.kind === 'password' ? 'password-changed' : 'address-removed');
  }
}

/** An authenticated client: its connection, and how it authenticated. */
export interface Login {
  readonly connection: Connection;
  readonly credential: Credential;
}

interface PasswordLogin extends Login {
  readonly credential: Extract<Credential, { readonly kind: 'password' }>;
}
