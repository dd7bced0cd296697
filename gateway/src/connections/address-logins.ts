import type { Authorization } from '@cellhop/contract/gateway';
import type { Logger } from 'pino';
import { inBackground } from '../background.ts';
import type { ControlClient } from '../control/control-client.ts';
import type { Limits } from '../limits.ts';
import { TunnelFailure } from '../statuses.ts';
import type { Credential } from './access.ts';
import type { Connection, Login } from './connection.ts';
import { causeOfRefusal } from './end-reasons.ts';
import { Refusals } from './refusals.ts';

export type Granted = Extract<Authorization, { isAuthorized: true }>;

interface AddressLoginsSettings {
  readonly control: Pick<ControlClient, 'authorizeAddress'>;
  readonly limits: Pick<Limits, 'addressesKept' | 'addressRefusalKeptMs' | 'credentialsKeptMs' | 'refusalsKept'>;
  readonly log: Logger;
  /** @throws TunnelFailure */
  readonly admit: (answer: Granted, credential: Credential) => Connection;
}

interface Known {
  readonly connection: Connection;
  confirmedAt: number;
}

/** Which client addresses open which connection without a password, and which open none, so that few clients cost a call. */
export class AddressLogins {
  readonly #known = new Map<string, Known>();
  readonly #refusals: Refusals;

  constructor(private readonly settings: AddressLoginsSettings) {
    this.#refusals = new Refusals(settings.limits.addressRefusalKeptMs, settings.limits.refusalsKept);
  }

  /**
   * The connection of this run that lists the address of a client.
   * @throws TunnelFailure if the control plane has just refused the address
   */
  find(address: string): Login | undefined {
    const known = this.#known.get(address);
    const credential: Credential = { kind: 'address', address };
    if (!known || known.connection.isEnding || !known.connection.access.allows(credential)) {
      this.#known.delete(address);
      this.#refusals.check(address);
      return undefined;
    }
    const now = performance.now();
    if (now - known.confirmedAt >= this.settings.limits.credentialsKeptMs) {
      known.confirmedAt = now;
      inBackground(this.settings.log, 'allow-list', this.#confirm(address));
    }
    return { connection: known.connection, credential };
  }

  /** @throws TunnelFailure `credentials-wrong`, also while the control plane is away, or `address-shared` */
  async authorize(address: string): Promise<Connection> {
    const answer = await this.settings.control.authorizeAddress(address).catch(() => undefined);
    // Clients with a password first come without it, too: they are asked for it, whether or not the control plane is there.
    if (!answer) throw new TunnelFailure('credentials-wrong');
    if (!answer.isAuthorized || answer.state === 'ended') {
      const cause = causeOfRefusal(answer.reason);
      this.#refusals.keep(address, cause);
      throw new TunnelFailure(cause);
    }
    const connection = this.settings.admit(answer, { kind: 'address', address });
    this.#known.set(address, { connection, confirmedAt: performance.now() });
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size > this.settings.limits.addressesKept) this.#known.delete(oldest);
    return connection;
  }

  /** Allow-lists have changed: everything is asked for again. */
  forgetAll(): void {
    this.#known.clear();
    this.#refusals.clear();
  }

  /** Another connection may list the address, too: then a password is needed. */
  async #confirm(address: string): Promise<void> {
    const answer = await this.settings.control.authorizeAddress(address).catch(() => undefined);
    if (answer?.isAuthorized === false) this.#known.delete(address);
  }
}
