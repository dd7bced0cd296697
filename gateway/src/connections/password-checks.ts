import type { Logger } from 'pino';
import { inBackground } from '../background.ts';
import type { ControlClient } from '../control/control-client.ts';
import type { Limits } from '../limits.ts';
import type { Credentials } from '../protocol/socks5.ts';
import type { Connection } from './connection.ts';

interface PasswordCheckSettings {
  readonly control: Pick<ControlClient, 'authorize'>;
  readonly limits: Pick<Limits, 'credentialsCacheMs' | 'newAddressRecheckMs'>;
  readonly log: Logger;
}

/**
 * The password may have changed, so the control plane checks it again at intervals, in the background. A new client address is
 * sent sooner, because the control plane stores it.
 */
export class PasswordChecks {
  constructor(private readonly settings: PasswordCheckSettings) {}

  recheckWhenDue(connection: Connection, credentials: Credentials, clientAddress: string | undefined): void {
    const now = performance.now();
    const { limits, log } = this.settings;
    const isKnownAddress = clientAddress === undefined || connection.recentAddresses.has(clientAddress);
    const intervalMs = isKnownAddress ? limits.credentialsCacheMs : limits.newAddressRecheckMs;
    if (now - connection.credentialsCheckedAt < intervalMs) return;
    connection.credentialsCheckedAt = now;
    inBackground(log, 'credentials', this.#recheck(connection, credentials, clientAddress));
  }

  async #recheck(connection: Connection, credentials: Credentials, clientAddress: string | undefined): Promise<void> {
    const { access, recentAddresses } = connection;
    const { digest } = access;
    // While the control plane is unavailable, accepted credentials remain valid.
    const authorization = await this.settings.control.authorize(credentials, clientAddress).catch(() => undefined);
    if (authorization?.isAuthorized && clientAddress !== undefined) recentAddresses.add(clientAddress);
    if (authorization?.isAuthorized !== false || access.digest !== digest) return;
    access.passwordRefused();
    connection.closeForbiddenFlows();
  }
}
