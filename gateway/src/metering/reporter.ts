import type { Usage } from '@cellhop/contract/gateway';
import type { Connection } from '../connection.ts';
import type { Connections } from '../connections.ts';
import type { ControlClient } from '../control-client.ts';
import type { Limits } from '../limits.ts';

interface Observation {
  readonly usedBytes: number;
  readonly at: number;
  readonly bytesPerSecond: number;
}

const WANTED_SECONDS = 2;
/** Shorter times say little about a rate. */
const OBSERVATION_MS_MIN = 10;

/**
 * Tells the control plane what was used and learns what is granted: at each interval for all open connections, idle
 * ones too, because the answer tells which have ended; and at once when a grant runs low or a last total waits.
 * One round runs at a time, so `end` never overtakes an `update`.
 */
export class Reporter {
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;
  #isAskedAgain = false;
  #isStopped = false;
  #failures = 0;
  #observations = new WeakMap<Connection, Observation>();

  constructor(
    private readonly connections: () => Connections,
    private readonly control: ControlClient,
    private readonly limits: Limits,
  ) {}

  start(): void {
    this.#schedule(this.limits.updateIntervalMs);
  }

  /** While the control plane is away this waits for the next retry. */
  soon(): void {
    if (this.#isRunning) this.#isAskedAgain = true;
    else if (this.#failures === 0) this.#schedule(0);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(delayMs: number): void {
    clearTimeout(this.#timer);
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.#run(), delayMs);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    this.#isAskedAgain = false;
    const begunAt = Date.now();
    try {
      await this.#round();
      this.#failures = 0;
    } catch {
      this.#failures += 1; // The client has logged it; the totals only grow, so the next round repeats everything.
    }
    this.#isRunning = false;
    this.#schedule(this.#delayMs(Date.now() - begunAt));
  }

  async #round(): Promise<void> {
    const connections = this.connections();
    connections.endIdle();
    const open = connections.open;
    // Without connections too: it tells the control plane that this node is alive.
    connections.merge(await this.control.update(open.map((each) => this.#usageOf(each))));
    const ending = connections.ending;
    if (ending.length === 0) return;
    const totals = ending.map(({ id, credit }) => ({ connectionId: id, usedBytes: credit.usedBytes }));
    connections.acknowledged(await this.control.end(totals));
  }

  /** Jitter keeps the nodes of an operator from coming back in one moment. */
  #delayMs(tookMs: number): number {
    const { updateIntervalMs, updateRetryMs, updateSpacingMs } = this.limits;
    if (this.#failures > 0) {
      const backoffMs = Math.min(updateRetryMs, updateIntervalMs * 2 ** (this.#failures - 1));
      return backoffMs * (0.5 + Math.random() / 2);
    }
    return this.#isAskedAgain ? updateSpacingMs : Math.max(updateSpacingMs, updateIntervalMs - tookMs);
  }

  #usageOf(connection: Connection): Usage {
    const { usedBytes } = connection.credit;
    return { connectionId: connection.id, usedBytes, wantedBytes: this.#wantedBytes(connection, usedBytes) };
  }

  /** About two seconds of the present rate. A rate that falls is believed slowly: traffic comes in bursts. */
  #wantedBytes(connection: Connection, usedBytes: number): number {
    const now = performance.now();
    const last = this.#observations.get(connection) ?? { usedBytes: 0, at: now - 1000, bytesPerSecond: 0 };
    const seconds = Math.max(OBSERVATION_MS_MIN, now - last.at) / 1000;
    const bytesPerSecond = Math.max((usedBytes - last.usedBytes) / seconds, last.bytesPerSecond / 2);
    this.#observations.set(connection, { usedBytes, at: now, bytesPerSecond });
    if (connection.tunnels.size === 0) return 0;
    const { wantedBytesMin, wantedBytesMax } = this.limits;
    return Math.min(wantedBytesMax, Math.max(wantedBytesMin, Math.ceil(bytesPerSecond * WANTED_SECONDS)));
  }
}
