import { GATEWAY_CONTRACT_VERSION } from '@cellhop/contract/gateway';
import type { NodeStatus } from '@cellhop/contract/node-status';
import type { SealedWitness } from '@cellhop/contract/sealed-witness';
import type { Logger } from 'pino';
import packageJson from '../../package.json' with { type: 'json' };
import { Loop } from '../background.ts';
import type { ControlClient, HelloResponse } from './control-client.ts';
import type { KnownNetworks } from '../listeners/known-networks.ts';
import type { ReservedAddresses } from '../exits/reserved-addresses.ts';
import type { Limits } from '../limits.ts';

export interface HeartbeatSettings {
  readonly control: Pick<ControlClient, 'hello'>;
  readonly status: Pick<NodeStatusReader, 'read'>;
  readonly reserved: Pick<ReservedAddresses, 'refreshControlPlane'>;
  readonly knownNetworks: Pick<KnownNetworks, 'listed'>;
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
  #echoUrls: readonly string[] = [];
  #refusedUpstreams: readonly string[] = [];
  /** The highest one; the API may have lost its own. */
  #witness: SealedWitness | undefined;
  /** Called with the revision of the control plane's refused destinations; undefined: it knows none. */
  onRefusedRevision: (revision: string | undefined) => void = () => {};
  readonly #loop: Loop;
  /** Called when the addresses of the control plane and the echoes have been read. The checks set it. */
  onRefreshed: () => void = () => {};

  constructor(private readonly settings: HeartbeatSettings) {
    this.#loop = new Loop(settings.log, 'heartbeat', () => this.#beat());
  }

  /** The contract version of the control plane; 0 while it is unknown. */
  get controlPlaneVersion(): number {
    return this.#version;
  }

  /** Where checks of exits send their requests; empty while they are unknown. */
  get echoUrls(): readonly string[] {
    return this.#echoUrls;
  }

  start(): void {
    this.#loop.start();
  }

  /** What `hello` returns has changed. */
  request(): void {
    this.#loop.request();
  }

  stop(): void {
    this.#loop.stop();
  }

  async #beat(): Promise<number> {
    const { control, status, reserved, knownNetworks, limits } = this.settings;
    let pauseMs = limits.helloIntervalMs;
    let echoUrls = this.#echoUrls;
    try {
      const askedAt = performance.now();
      const response = await control.hello({ status: status.read(), witness: this.#witness });
      this.#apply(response);
      this.onRefusedRevision(response.refusedRevision);
      knownNetworks.listed(response.purchaseNetworks, askedAt);
      echoUrls = response.echoUrls;
    } catch {
      pauseMs = limits.helloRetryMs; // The client has logged it.
    }
    await reserved.refreshControlPlane(this.#publicUrl, echoUrls, this.#refusedUpstreams);
    // Only now does the guard of checks know their addresses.
    this.#echoUrls = echoUrls;
    this.onRefreshed();
    return pauseMs;
  }

  #apply(response: HelloResponse): void {
    const { contractVersion: version, oldestContractVersion, publicUrl, refusedUpstreams, witness } = response;
    if (witness && witness.sequence >= (this.#witness?.sequence ?? 0)) this.#witness = witness;
    this.#publicUrl = publicUrl;
    this.#refusedUpstreams = refusedUpstreams;
    if (version === this.#version) return;
    this.#version = version;
    const fields = { controlPlaneVersion: version, nodeVersion: GATEWAY_CONTRACT_VERSION };
    if (oldestContractVersion > GATEWAY_CONTRACT_VERSION)
      this.settings.log.error(fields, 'This gateway is too old for the control plane: upgrade it');
    else this.settings.log.info(fields, 'Contract version of the control plane');
  }
}

interface StatusSources {
  readonly flows: { readonly size: number };
  /** Bytes of all tunnels since the start. */
  readonly bytes: () => number;
  readonly relay: { readonly kind: string };
  readonly certificate: { readonly description: NodeStatus['certificate'] };
  readonly now?: () => number;
}

/** The status that this process reports to the control plane, which shows it to staff. */
export class NodeStatusReader {
  readonly #now: () => number;
  #bytes = 0;
  #at: number;

  constructor(private readonly sources: StatusSources) {
    this.#now = sources.now ?? (() => performance.now());
    this.#at = this.#now();
  }

  /** The rate is the mean since the last call. */
  read(): NodeStatus {
    const now = this.#now();
    const bytes = this.sources.bytes();
    const seconds = (now - this.#at) / 1000;
    const bytesPerSecond = seconds > 0 ? Math.round((bytes - this.#bytes) / seconds) : 0;
    this.#at = now;
    this.#bytes = bytes;
    const { flows, relay, certificate } = this.sources;
    const { description } = certificate;
    const own = { softwareVersion: packageJson.version, tunnels: flows.size, bytesPerSecond, relay: relay.kind };
    return { ...own, ...(description && { certificate: description }) };
  }
}
