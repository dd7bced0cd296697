import type { Usage } from '@cellhop/contract/gateway';
import type { Connection } from '../connection.ts';
import type { Connections } from '../connections.ts';
import type { ControlClient } from '../control-client.ts';
import type { Limits } from '../limits.ts';
import { RoundTrip, unacknowledgedBytes, wantedBytes } from './pace.ts';

/**
 * Tells the control plane what was used and learns what is granted: at each interval for all open connections, idle
 * ones too, because the answer tells which have ended; in between, and at once, for those whose report is due, and when
 * a last total waits. One round runs at a time, so `end` never overtakes an `update`.
 */
export class Reporter {
  readonly #due = new Set<Connection>();
  readonly #roundTrip = new RoundTrip();
  #timer: NodeJS.Timeout | undefined;
  #nextOfAllAt = 0;
  #isRunning = false;
  #isAskedAgain = false;
  #isStopped = false;
  #failures = 0;

  constructor(
    private readonly connections: () => Connections,
    private readonly control: Pick<ControlClient, 'update' | 'end'>,
    private readonly limits: Limits,
    private readonly isExitLost: (connection: Connection) => boolean,
  ) {}

  start(): void {
    this.#nextOfAllAt = performance.now() + this.limits.updateIntervalMs;
    this.#schedule(this.limits.updateIntervalMs);
  }

  /**
   * Reports before the interval is over: this connection, and all that are ending. While the control plane is away it
   * waits for the next retry.
   */
  soon(connection?: Connection): void {
    if (connection) this.#due.add(connection);
    if (this.#isRunning) this.#isAskedAgain = true;
    else if (this.#failures === 0) this.#schedule(0);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(delayMs: number): void {
    clearTimeout(this.#timer);
    if (!this.#isStopped) this.#timer = setTimeout(() => this.#runAndGoOn(), delayMs);
  }

  /** Without reports all tunnels would stop at the end of their grants, so nothing ends the rounds. */
  #runAndGoOn(): void {
    this.#run().catch(() => this.#schedule(this.limits.updateRetryMs));
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    this.#isAskedAgain = false;
    try {
      await this.#round();
      this.#failures = 0;
    } catch {
      this.#failures += 1; // The client has logged it; the totals only grow, so the next round repeats everything.
      this.#nextOfAllAt = 0;
    }
    this.#isRunning = false;
    this.#schedule(this.#delayMs());
  }

  async #round(): Promise<void> {
    const connections = this.connections();
    const asked = this.#takeAsked(connections);
    const begunAt = performance.now();
    const usages = asked.map((each) => this.#usageOf(each, begunAt));
    connections.merge(await this.control.update(usages));
    this.#roundTrip.observe(performance.now() - begunAt);
    for (const [index, { credit, pace }] of asked.entries()) {
      credit.allowUnacknowledged(unacknowledgedBytes(pace.bytesPerSecond, this.#roundTrip.ms, this.limits));
      credit.acknowledge(usages[index]!.usedBytes);
    }
    const { ending } = connections;
    if (ending.length === 0) return;
    const totals = ending.map(({ id, credit }) => ({ connectionId: id, ...credit.report() }));
    connections.acknowledged(await this.control.end(totals));
  }

  /** All connections at the interval, even if there are none: it tells the control plane that this node is alive. */
  #takeAsked(connections: Connections): Connection[] {
    const due = [...this.#due];
    this.#due.clear();
    if (performance.now() < this.#nextOfAllAt) return due.filter(({ isEnding }) => !isEnding);
    this.#nextOfAllAt = performance.now() + this.limits.updateIntervalMs;
    connections.endIdle();
    return connections.open;
  }

  /** Jitter keeps the nodes of an operator from coming back in one moment. */
  #delayMs(): number {
    const { updateIntervalMs, updateRetryMs, updateSpacingMs } = this.limits;
    if (this.#failures > 0) {
      const backoffMs = Math.min(updateRetryMs, updateIntervalMs * 2 ** (this.#failures - 1));
      return backoffMs * (0.5 + Math.random() / 2);
    }
    return this.#isAskedAgain ? updateSpacingMs : Math.max(updateSpacingMs, this.#nextOfAllAt - performance.now());
  }

  #usageOf(connection: Connection, now: number): Usage {
    const totals = connection.credit.report();
    const bytesPerSecond = connection.pace.observe(totals.usedBytes, now);
    const isUsed = connection.tunnels.size > 0;
    return {
      connectionId: connection.id,
      ...totals,
      isExitLost: this.isExitLost(connection),
      wantedBytes: isUsed ? wantedBytes(bytesPerSecond, this.#roundTrip.ms, this.limits) : 0,
    };
  }
}
