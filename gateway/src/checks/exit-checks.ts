import { type ExitCheck, EXIT_CHECKS_MAX } from '@cellhop/contract/exit-checks';
import type { Exit as ExitDescription } from '@cellhop/contract/exits';
import type { Logger } from 'pino';
import { inBackground, Loop } from '../background.ts';
import type { Connections } from '../connections/connections.ts';
import { ExitSpeeds } from '../connections/exit-speeds.ts';
import type { ControlClient } from '../control/control-client.ts';
import type { DialOutcomes } from '../exits/dial-outcomes.ts';
import type { Exit } from '../exits/exit.ts';
import type { Exits } from '../exits/exits.ts';
import type { Limits } from '../limits.ts';
import type { Metrics } from '../metrics.ts';
import type { Capabilities } from './capabilities.ts';
import type { ExitCheckPerformer } from './exit-check.ts';
import type { Rotations } from './rotations.ts';

interface ExitChecksSettings {
  readonly control: Pick<ControlClient, 'checkExits'>;
  readonly exits: Pick<Exits, 'findId' | 'get' | 'setLost' | 'setRotating'>;
  readonly dialOutcomes: Pick<DialOutcomes, 'isWorking' | 'onSuspect' | 'reached' | 'unreached'>;
  readonly performer: Pick<ExitCheckPerformer, 'check' | 'close'>;
  readonly connections: Pick<Connections, 'open'>;
  readonly capabilities: Pick<Capabilities, 'close' | 'find'>;
  readonly rotations: Rotations;
  /** False while the echoes are unknown. */
  readonly isReady: () => boolean;
  readonly limits: Pick<
    Limits,
    'exitChecksAtOnce' | 'exitChecksBusyPollMs' | 'exitChecksPollMs' | 'exitChecksRetryMs' | 'suspectSpacingMs'
  >;
  readonly metrics: Pick<Metrics, 'exitChecks'>;
  readonly log: Logger;
}

interface CheckOrder {
  /** The last check has found that the exit carries the echo alone. */
  readonly hasCarriedEchoAlone: boolean;
  /** What else it carries shall be tested. */
  readonly areCapabilitiesDue: boolean;
}

/**
 * Checks the exits of this node that the control plane hands out, sold or not, and reports the outcomes. The control plane decides which
 * exits work, so that all runs of a node share their checks. Nothing of it is charged.
 */
export class ExitChecks {
  readonly #running = new Map<string, Exit>();
  /** Results that the control plane has not acknowledged; newer ones replace older ones of the same exit. */
  #results = new Map<string, ExitCheck>();
  readonly #suspects = new Map<string, number>();
  #newSuspects = new Set<string>();
  readonly #speeds = new ExitSpeeds();
  readonly #loop: Loop;

  constructor(private readonly settings: ExitChecksSettings) {
    this.#loop = new Loop(settings.log, 'checks of exits', () => this.#poll());
    settings.dialOutcomes.onSuspect = (exit) => this.#suspect(exit);
  }

  /** Exits that are being checked, or whose link is being called; they stay open. */
  get exitsInUse(): Iterable<Exit> {
    return [...this.#running.values(), ...this.settings.rotations.exitsInUse];
  }

  get running(): number {
    return this.#running.size;
  }

  start(): void {
    this.#loop.start();
  }

  /** Ends the checks that run; the control plane hands them out again. */
  stop(): void {
    this.#loop.stop();
    this.settings.performer.close();
    this.settings.capabilities.close();
    this.settings.rotations.stop();
  }

  /** Begins at once, if the echoes are known by now. */
  request(): void {
    this.#loop.request();
  }

  /** Tunnels of customers fail through this exit: it is checked at once, unless it was requested a moment ago. */
  #suspect(exit: Exit): void {
    const now = performance.now();
    const { exits, limits } = this.settings;
    const exitId = exits.findId(exit);
    const { suspectSpacingMs } = limits;
    for (const [id, at] of this.#suspects) if (now - at >= suspectSpacingMs) this.#suspects.delete(id);
    if (exitId === undefined || this.#suspects.has(exitId)) return;
    this.#suspects.set(exitId, now);
    this.#newSuspects.add(exitId);
    this.request();
  }

  /** @returns how long to wait before the next call */
  async #poll(): Promise<number> {
    const { connections, control, exits, dialOutcomes, rotations, limits, isReady } = this.settings;
    this.#speeds.observe(connections.open);
    if (!isReady()) return limits.exitChecksRetryMs;
    const wanted = limits.exitChecksAtOnce - this.#running.size;
    const reported = [...this.#results].slice(0, EXIT_CHECKS_MAX);
    const suspectIds = [...this.#newSuspects].slice(0, EXIT_CHECKS_MAX);
    const rotationReports = rotations.reports;
    const report = {
      checks: reported.map(([, check]) => check),
      suspectIds,
      wanted,
      rotations: [...rotationReports],
      rotationsWanted: rotations.wanted,
    };
    try {
      const { due, lostIds, echoAloneIds, capabilityIds, ...ordered } = await control.checkExits(report);
      rotations.acknowledge(rotationReports);
      for (const [id, check] of reported) if (this.#results.get(id) === check) this.#results.delete(id);
      for (const id of suspectIds) this.#newSuspects.delete(id);
      exits.setLost(new Set(lostIds), (exit) => dialOutcomes.isWorking(exit));
      for (const order of ordered.rotations ?? []) rotations.start(order, () => this.request());
      exits.setRotating(new Set(ordered.rotatingIds));
      for (const exit of due) {
        const hasCarriedEchoAlone = echoAloneIds.includes(exit.id);
        this.#start(exit, { hasCarriedEchoAlone, areCapabilitiesDue: capabilityIds?.includes(exit.id) ?? false });
      }
      const isBusy = this.#running.size > 0 || this.#results.size > 0;
      return isBusy ? limits.exitChecksBusyPollMs : limits.exitChecksPollMs;
    } catch {
      return limits.exitChecksRetryMs; // Results stay; the control plane hands the checks out again after a while.
    }
  }

  #start(description: ExitDescription, order: CheckOrder): void {
    if (this.#running.has(description.id)) return;
    const exit = this.settings.exits.get(description);
    this.#running.set(description.id, exit);
    inBackground(this.settings.log, 'check of an exit', this.#run(description.id, exit, order));
  }

  async #run(exitId: string, exit: Exit, { hasCarriedEchoAlone, areCapabilitiesDue }: CheckOrder): Promise<void> {
    const { performer, capabilities, dialOutcomes, metrics, log } = this.settings;
    try {
      const unreached = dialOutcomes.unreached(exit);
      const isInDoubt = unreached !== undefined || (hasCarriedEchoAlone && !dialOutcomes.isWorking(exit));
      const check = { exitId, ...(await performer.check(exit, isInDoubt ? { unreached } : undefined)) };
      const isOk = check.outcome === 'ok';
      if (isOk) dialOutcomes.reached(exit);
      const found = isOk && areCapabilitiesDue ? { capabilities: await capabilities.find(exit) } : {};
      // The control plane says the same with the next check.
      if (found.capabilities?.dns === false) exit.resolvesNames = false;
      const bytesPerSecond = this.#speeds.take(exit);
      this.#results.set(exitId, { ...check, ...found, ...(bytesPerSecond !== undefined && { bytesPerSecond }) });
      const { outcome, reason } = check;
      metrics.exitChecks.inc({ outcome: reason?.split(':')[0] ?? outcome });
      if (outcome !== 'ok')
        log.debug({ exitId, kind: exit.kind, outcome, reason }, 'A check of an exit did not succeed');
    } finally {
      this.#running.delete(exitId);
    }
  }
}
