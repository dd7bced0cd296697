import { GATEWAY_CONTRACT_VERSION } from '@cellhop/contract/gateway';
import type { Logger } from 'pino';
import { inBackground } from '../background.ts';
import type { ControlClient, Greeting } from './control-client.ts';
import type { ReservedAddresses } from '../exits/reserved-addresses.ts';
import type { Limits } from '../limits.ts';

/** An API from before the call `hello`. */
const VERSION_WITHOUT_HELLO = 1;

interface GreetingsSettings {
  readonly control: Pick<ControlClient, 'hello'>;
  readonly reserved: Pick<ReservedAddresses, 'refreshControlPlane'>;
  readonly limits: Pick<Limits, 'helloIntervalMs' | 'helloRetryMs'>;
  readonly log: Logger;
}

/**
 * Greets the control plane at the start and every minute: it may be upgraded, move to another address, or publish another
 * one, while this node runs.
 */
export class Greetings {
  #version = 0;
  #publicUrl: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(private readonly settings: GreetingsSettings) {}

  /** What the control plane speaks; 0 while that is unknown. */
  get controlPlaneVersion(): number {
    return this.#version;
  }

  start(): void {
    inBackground(this.settings.log, 'greeting', this.#run());
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    const { control, reserved, limits } = this.settings;
    let delayMs = limits.helloIntervalMs;
    try {
      this.#note(await control.hello());
    } catch {
      delayMs = limits.helloRetryMs; // The client has logged it.
    }
    await reserved.refreshControlPlane(this.#publicUrl);
    if (!this.#isStopped) this.#timer = setTimeout(() => this.start(), delayMs);
  }

  #note(greeting: Greeting | undefined): void {
    const version = greeting?.contractVersion ?? VERSION_WITHOUT_HELLO;
    this.#publicUrl = greeting?.publicUrl ?? this.#publicUrl;
    if (version === this.#version) return;
    this.#version = version;
    const facts = { controlPlaneVersion: version, nodeVersion: GATEWAY_CONTRACT_VERSION };
    if (greeting && greeting.oldestContractVersion > GATEWAY_CONTRACT_VERSION)
      this.settings.log.error(facts, 'This gateway is too old for the control plane: upgrade it');
    else this.settings.log.info(facts, 'Greeted the control plane');
  }
}
