import { GATEWAY_CONTRACT_VERSION } from '@cellhop/contract/gateway';
import type { Logger } from 'pino';
import { inBackground } from '../background.ts';
import type { ControlClient, HelloResponse } from './control-client.ts';
import type { NodeStatusReader } from './node-status.ts';
import type { ReservedAddresses } from '../exits/reserved-addresses.ts';
import type { Limits } from '../limits.ts';

interface HeartbeatSettings {
  readonly control: Pick<ControlClient, 'hello'>;
  readonly status: Pick<NodeStatusReader, 'read'>;
  readonly reserved: Pick<ReservedAddresses, 'refreshControlPlane'>;
  readonly limits: Pick<Limits, 'helloIntervalMs' | 'helloRetryMs'>;
  readonly log: Logger;
}

/**
 * Calls `hello` at the start and every minute, because the version, the address and the public URL of the control plane may
 * change while this node runs.
 */
export class Heartbeat {
  #version = 0;
  #publicUrl: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(private readonly settings: HeartbeatSettings) {}

  /** The contract version of the control plane; 0 while it is unknown. */
  get controlPlaneVersion(): number {
    return this.#version;
  }

  start(): void {
    inBackground(this.settings.log, 'heartbeat', this.#run());
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    const { control, status, reserved, limits } = this.settings;
    let delayMs = limits.helloIntervalMs;
    try {
      this.#apply(await control.hello(status.read()));
    } catch {
      delayMs = limits.helloRetryMs; // The client has logged it.
    }
    await reserved.refreshControlPlane(this.#publicUrl);
    if (!this.#isStopped) this.#timer = setTimeout(() => this.start(), delayMs);
  }

  #apply({ contractVersion: version, oldestContractVersion, publicUrl }: HelloResponse): void {
    this.#publicUrl = publicUrl;
    if (version === this.#version) return;
    this.#version = version;
    const fields = { controlPlaneVersion: version, nodeVersion: GATEWAY_CONTRACT_VERSION };
    if (oldestContractVersion > GATEWAY_CONTRACT_VERSION)
      this.settings.log.error(fields, 'This gateway is too old for the control plane: upgrade it');
    else this.settings.log.info(fields, 'Contract version of the control plane');
  }
}
