import type { Usage } from '@cellhop/contract/gateway';
import type { Logger } from 'pino';
import type { ControlClient } from '../control/control-client.ts';
import type { Limits } from '../limits.ts';
import { RoundTrip, unacknowledgedBytes, wantedBytes } from '../metering/rate.ts';
import type { Connection } from './connection.ts';
import type { Connections } from './connections.ts';
import { sendInBatches, RefusedReports } from './delivery.ts';

/**
 * Reports used bytes to the control plane and applies the grants that it returns. Each interval covers connections with new
 * traffic, and idle ones too, because the response contains the ended ones; idle ones are reported less often while the end
 * watch is active. Between intervals a round starts immediately for connections whose report is due, and for final totals.
 * One round runs at a time, so `end` never overtakes an `update`.
 */
export class Reporter {
  readonly #due = new Set<Connection>();
  readonly #roundTrip = new RoundTrip();
  readonly #refusedUpdates: RefusedReports;
  readonly #refusedEnds: RefusedReports;
  #timer: NodeJS.Timeout | undefined;
  #nextIntervalAt = 0;
  #nextFullReportAt = 0;
  #isRunning = false;
  #isRoundRequested = false;
  #isStopped = false;
  #failures = 0;
  /** While everything is refused, repeated bisection finds no culprit and costs the control plane much. */
  #splitAgainAt = 0;

  constructor(
    private readonly connections: Connections,
    private readonly control: Pick<ControlClient, 'update' | 'end'>,
    private readonly limits: Limits,
    log: Logger,
    /** The end watch reports ended connections sooner than the responses to reports do. */
    private readonly isEndWatchActive: () => boolean,
  ) {
    connections.onReportDue = (connection) => this.request(connection);
    this.#refusedUpdates = new RefusedReports(limits.refusedReportMs, log, 'update');
    this.#refusedEnds = new RefusedReports(limits.refusedReportMs, log, 'end');
  }

  /** Connections whose reports the control plane refuses although it accepts those of others. */
  get refusedConnections(): number {
    return this.#refusedUpdates.size + this.#refusedEnds.size;
  }

  start(): void {
    this.#nextIntervalAt = performance.now() + this.limits.updateIntervalMs;
    this.#schedule(this.limits.updateIntervalMs);
  }

  /**
   * Requests a report before the next interval, of this connection and of all final totals. While the control plane is
   * unavailable, it waits for the next retry.
   */
  request(connection?: Connection): void {
    if (connection) this.#due.add(connection);
    if (this.#isRunning) this.#isRoundRequested = true;
    else if (this.#failures === 0) this.#schedule(0);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(delayMs: number): void {
    clearTimeout(this.#timer);
    if (!this.#isStopped) this.#timer = setTimeout(() => this.#runAndReschedule(), delayMs);
  }

  /** Without reports all tunnels would stop at the end of their grants, so no error may end the rounds. */
  #runAndReschedule(): void {
    this.#run().catch(() => this.#schedule(this.limits.updateRetryMs));
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    this.#isRoundRequested = false;
    try {
      await this.#round();
      this.#failures = 0;
    } catch {
      this.#failures += 1; // The client has logged it. Totals are cumulative, so the next round includes everything.
      this.#nextIntervalAt = 0;
      this.#nextFullReportAt = 0;
    }
    this.#isRunning = false;
    this.#schedule(this.#delayMs());
  }

  async #round(): Promise<void> {
    const reported = this.#takeDue();
    const totalRefusal = reported && (await this.#update(reported));
    await this.#end();
    if (totalRefusal) throw totalRefusal;
  }

  /** @returns the refusal if no report was accepted */
  async #update(reported: readonly Connection[]): Promise<Error | undefined> {
    const startedAt = performance.now();
    const reports = reported.map((connection) => ({ connection, usage: this.#toUsage(connection, startedAt) }));
    const splitsMax = startedAt < this.#splitAgainAt ? 0 : this.limits.refusedReportSplits;
    const delivery = await sendInBatches(reports, splitsMax, async (batch) => {
      this.connections.merge(await this.control.update(batch.map(({ usage }) => usage)));
    });
    const { accepted, totalRefusal } = delivery;
    if (totalRefusal) {
      if (splitsMax > 0 && reports.length > 1) this.#splitAgainAt = performance.now() + this.limits.refusedReportMs;
      return totalRefusal;
    }
    if (accepted.length === reports.length) this.#roundTrip.observe(performance.now() - startedAt);
    this.#refusedUpdates.update(delivery, ({ connection }) => connection.id);
    for (const { connection, usage } of accepted) {
      const { credit, rate } = connection;
      if (usage.refusal) connection.lastRefusal.acknowledge();
      credit.allowUnacknowledged(unacknowledgedBytes(rate.bytesPerSecond, this.#roundTrip.ms, this.limits));
      credit.acknowledge(usage.usedBytes);
    }
    return undefined;
  }

  async #end(): Promise<void> {
    const totals = this.connections.ending
      .filter(({ id }) => !this.#refusedEnds.has(id))
      .map(({ id, credit, lastRefusal }) => {
        const refusal = lastRefusal.report(performance.now());
        return { connectionId: id, ...credit.report(), ...(refusal && { refusal }) };
      });
    if (totals.length === 0) return;
    const delivery = await sendInBatches(totals, this.limits.refusedReportSplits, async (batch) => {
      this.connections.acknowledged(await this.control.end(batch));
    });
    this.#refusedEnds.update(delivery, ({ connectionId }) => connectionId);
  }

  /** @returns undefined if no report is needed. An empty report shows the control plane that this node is alive. */
  #takeDue(): Connection[] | undefined {
    const due = [...this.#due];
    this.#due.clear();
    const isReported = ({ id, isEnding }: Connection) => !isEnding && !this.#refusedUpdates.has(id);
    const now = performance.now();
    if (now < this.#nextIntervalAt) return due.filter(isReported);
    this.#nextIntervalAt = now + this.limits.updateIntervalMs;
    this.connections.endIdle();
    this.#refusedUpdates.retain((id) => this.connections.get(id)?.isEnding === false);
    this.#refusedEnds.retain((id) => this.connections.get(id)?.isEnding === true);
    const open = this.connections.open.filter(isReported);
    if (this.isEndWatchActive() && now < this.#nextFullReportAt) {
      const busy = open.filter((connection) => !canSkipReport(connection, now));
      return busy.length > 0 ? busy : undefined;
    }
    this.#nextFullReportAt = now + this.limits.idleUpdateIntervalMs;
    return open;
  }

  /** Jitter prevents all nodes of an operator from reconnecting at the same moment. */
  #delayMs(): number {
    const { updateIntervalMs, updateRetryMs, updateSpacingMs } = this.limits;
    if (this.#failures > 0) {
      const backoffMs = Math.min(updateRetryMs, updateIntervalMs * 2 ** (this.#failures - 1));
      return backoffMs * (0.5 + Math.random() / 2);
    }
    return this.#isRoundRequested
      ? updateSpacingMs
      : Math.max(updateSpacingMs, this.#nextIntervalAt - performance.now());
  }

  #toUsage(connection: Connection, now: number): Usage {
    const totals = connection.credit.report();
    const bytesPerSecond = connection.rate.observe(totals.usedBytes, now);
    const refusal = connection.lastRefusal.report(now);
    return {
      connectionId: connection.id,
      ...totals,
      isExitLost: connection.exit.isLost,
      accessRevision: connection.access.revision,
      wantedBytes: connection.isBusy(now) ? wantedBytes(bytesPerSecond, this.#roundTrip.ms, this.limits) : 0,
      ...(connection.limits.takeCheck(now) && { areLimitsWanted: true }),
      ...(refusal && { refusal }),
    };
  }
}

/** Whether a report would contain nothing new. Observes the rate nevertheless, so that a burst after a pause is detected. */
function canSkipReport({ credit, exit, rate }: Connection, now: number): boolean {
  if (!credit.isUpToDate || exit.isLost) return false;
  rate.observe(credit.usedBytes, now);
  return true;
}
