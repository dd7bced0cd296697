import type { Usage } from '@cellhop/contract/gateway';
import type { Logger } from 'pino';
import type { ControlClient } from '../control/control-client.ts';
import type { Limits } from '../limits.ts';
import { RoundTrip, unacknowledgedBytes, wantedBytes } from '../metering/pace.ts';
import type { Connection } from './connection.ts';
import type { Connections } from './connections.ts';
import { deliver, HeldBack } from './delivery.ts';

/**
 * Tells the control plane what was used and learns what is granted: at each interval for connections that have used
 * something, and for idle ones too, because the answer tells which have ended, but more seldom where ends are told by
 * themselves; in between, and at once, for those whose report is due, and when a last total waits. One round runs at a
 * time, so `end` never overtakes an `update`.
 */
export class Reporter {
  readonly #due = new Set<Connection>();
  readonly #roundTrip = new RoundTrip();
  readonly #heldUpdates: HeldBack;
  readonly #heldEnds: HeldBack;
  #timer: NodeJS.Timeout | undefined;
  #nextIntervalAt = 0;
  #nextOfAllAt = 0;
  #isRunning = false;
  #isAskedAgain = false;
  #isStopped = false;
  #failures = 0;
  /** While everything is refused, halving a batch again and again finds nobody and costs the control plane much. */
  #splitAgainAt = 0;

  constructor(
    private readonly connections: Connections,
    private readonly control: Pick<ControlClient, 'update' | 'end'>,
    private readonly limits: Limits,
    log: Logger,
    /** The control plane tells of ends by itself. */
    private readonly areEndsTold: () => boolean,
  ) {
    this.#heldUpdates = new HeldBack(limits.refusedReportMs, log, 'update');
    this.#heldEnds = new HeldBack(limits.refusedReportMs, log, 'end');
  }

  /** Connections whose reports the control plane refuses although it takes those of others. */
  get refusedConnections(): number {
    return this.#heldUpdates.size + this.#heldEnds.size;
  }

  start(): void {
    this.#nextIntervalAt = performance.now() + this.limits.updateIntervalMs;
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
      this.#nextIntervalAt = 0;
      this.#nextOfAllAt = 0;
    }
    this.#isRunning = false;
    this.#schedule(this.#delayMs());
  }

  async #round(): Promise<void> {
    const asked = this.#takeAsked();
    const refusalOfAll = asked && (await this.#update(asked));
    await this.#end();
    if (refusalOfAll) throw refusalOfAll;
  }

  /** @returns the refusal if nothing was taken */
  async #update(asked: readonly Connection[]): Promise<Error | undefined> {
    const begunAt = performance.now();
    const reports = asked.map((connection) => ({ connection, usage: this.#usageOf(connection, begunAt) }));
    const splitsMax = begunAt < this.#splitAgainAt ? 0 : this.limits.refusedReportSplits;
    const delivery = await deliver(reports, splitsMax, async (part) => {
      this.connections.merge(await this.control.update(part.map(({ usage }) => usage)));
    });
    const { taken, refusalOfAll } = delivery;
    if (refusalOfAll) {
      if (splitsMax > 0 && reports.length > 1) this.#splitAgainAt = performance.now() + this.limits.refusedReportMs;
      return refusalOfAll;
    }
    if (taken.length === reports.length) this.#roundTrip.observe(performance.now() - begunAt);
    this.#heldUpdates.note(delivery, ({ connection }) => connection.id);
    for (const { connection, usage } of taken) {
      const { credit, pace } = connection;
      credit.allowUnacknowledged(unacknowledgedBytes(pace.bytesPerSecond, this.#roundTrip.ms, this.limits));
      credit.acknowledge(usage.usedBytes);
    }
    return undefined;
  }

  async #end(): Promise<void> {
    const totals = this.connections.ending
      .filter(({ id }) => !this.#heldEnds.has(id))
      .map(({ id, credit }) => ({ connectionId: id, ...credit.report() }));
    if (totals.length === 0) return;
    const delivery = await deliver(totals, this.limits.refusedReportSplits, async (part) => {
      this.connections.acknowledged(await this.control.end(part));
    });
    this.#heldEnds.note(delivery, ({ connectionId }) => connectionId);
  }

  /** @returns undefined if nothing is to be said. A report of no connection tells the control plane that this node is alive. */
  #takeAsked(): Connection[] | undefined {
    const due = [...this.#due];
    this.#due.clear();
    const isAsked = ({ id, isEnding }: Connection) => !isEnding && !this.#heldUpdates.has(id);
    const now = performance.now();
    if (now < this.#nextIntervalAt) return due.filter(isAsked);
    this.#nextIntervalAt = now + this.limits.updateIntervalMs;
    this.connections.endIdle();
    this.#heldUpdates.keep((id) => this.connections.get(id)?.isEnding === false);
    this.#heldEnds.keep((id) => this.connections.get(id)?.isEnding === true);
    const open = this.connections.open.filter(isAsked);
    if (this.areEndsTold() && now < this.#nextOfAllAt) {
      const busy = open.filter((connection) => !isQuiet(connection, now));
      return busy.length > 0 ? busy : undefined;
    }
    this.#nextOfAllAt = now + this.limits.idleUpdateIntervalMs;
    return open;
  }

  /** Jitter keeps the nodes of an operator from coming back in one moment. */
  #delayMs(): number {
    const { updateIntervalMs, updateRetryMs, updateSpacingMs } = this.limits;
    if (this.#failures > 0) {
      const backoffMs = Math.min(updateRetryMs, updateIntervalMs * 2 ** (this.#failures - 1));
      return backoffMs * (0.5 + Math.random() / 2);
    }
    return this.#isAskedAgain ? updateSpacingMs : Math.max(updateSpacingMs, this.#nextIntervalAt - performance.now());
  }

  #usageOf(connection: Connection, now: number): Usage {
    const totals = connection.credit.report();
    const bytesPerSecond = connection.pace.observe(totals.usedBytes, now);
    const isUsed = connection.flows.size > 0;
    return {
      connectionId: connection.id,
      ...totals,
      isExitLost: connection.exit.isLost,
      accessRevision: connection.access.revision,
      wantedBytes: isUsed ? wantedBytes(bytesPerSecond, this.#roundTrip.ms, this.limits) : 0,
    };
  }
}

/** A report of it would tell nothing; its pace is noted all the same, so that a burst after a pause is seen as one. */
function isQuiet({ credit, exit, pace }: Connection, now: number): boolean {
  if (!credit.isQuiet || exit.isLost) return false;
  pace.observe(credit.usedBytes, now);
  return true;
}
