import type { NodeStatus } from '@cellhop/contract/gateway';
import packageJson from '../../package.json' with { type: 'json' };

interface Sources {
  readonly tunnels: () => number;
  /** Bytes of all tunnels since the start. */
  readonly bytes: () => number;
  readonly now?: () => number;
}

/** The status that this process reports to the control plane, which shows it to staff. */
export class NodeStatusReader {
  readonly #now: () => number;
  #bytes = 0;
  #at: number;

  constructor(private readonly sources: Sources) {
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
    return { softwareVersion: packageJson.version, tunnels: this.sources.tunnels(), bytesPerSecond };
  }
}
