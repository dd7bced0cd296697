import type { Logger } from 'pino';
import { inBackground } from '../background.ts';
import type { ControlClient } from '../control/control-client.ts';
import type { Limits } from '../limits.ts';
import type { ListedPort } from './dns-ports.ts';

interface DnsPortListSettings {
  readonly control: Pick<ControlClient, 'dnsPorts'>;
  readonly limits: Pick<Limits, 'dnsPortsRefreshMs' | 'dnsPortsRetryMs'>;
  readonly log: Logger;
  readonly onList: (ports: readonly ListedPort[]) => void;
}

/** Asks the control plane which connections list clients, because these may use a DNS port before the first tunnel. */
export class DnsPortList {
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;
  #isRefreshRequested = false;
  #isStopped = false;

  constructor(private readonly settings: DnsPortListSettings) {}

  start(): void {
    inBackground(this.settings.log, 'DNS port list', this.#run());
  }

  /** An allow-list has changed. */
  refresh(): void {
    if (this.#isRunning) this.#isRefreshRequested = true;
    else this.#schedule(0);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    const { control, limits, onList } = this.settings;
    this.#isRunning = true;
    this.#isRefreshRequested = false;
    let delayMs = limits.dnsPortsRefreshMs;
    try {
      const ports = await control.dnsPorts();
      if (!this.#isStopped) onList(ports);
    } catch {
      delayMs = limits.dnsPortsRetryMs; // The client has logged it.
    }
    this.#isRunning = false;
    this.#schedule(this.#isRefreshRequested ? 0 : delayMs);
  }

  #schedule(delayMs: number): void {
    clearTimeout(this.#timer);
    if (!this.#isStopped) this.#timer = setTimeout(() => this.start(), delayMs);
  }
}
