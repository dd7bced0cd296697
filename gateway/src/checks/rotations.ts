import type { RotationOrder, RotationReport } from '@cellhop/contract/exit-checks';
import { ROTATIONS_MAX } from '@cellhop/contract/exit-checks';
import type { Exit as ExitDescription } from '@cellhop/contract/exits';
import type { RotationLink } from '@cellhop/contract/rotation-links';
import type { Logger } from 'pino';
import { inBackground } from '../background.ts';
import type { Exit } from '../exits/exit.ts';
import type { Exits } from '../exits/exits.ts';
import type { Limits } from '../limits.ts';
import type { ExitCheckPerformer } from './exit-check.ts';
import { LinkFailure } from './rotation-link.ts';

interface RotationsSettings {
  readonly exits: Pick<Exits, 'get'>;
  readonly performer: Pick<ExitCheckPerformer, 'check'>;
  /** @throws LinkFailure */
  readonly callLink: (link: RotationLink, exit: ExitDescription) => Promise<void>;
  /** Those that run. */
  readonly endCalls: () => void;
  /** Open tunnels break by the change. */
  readonly resetTunnels: (exit: Exit) => void;
  readonly limits: Pick<Limits, 'linkCallsAtOnce'>;
  readonly log: Logger;
}

/** Calls the links that change the addresses of this node's exits. Whether an address has changed is found out by their checks. */
export class Rotations {
  readonly #running = new Map<string, Exit>();
  /** What the control plane has not acknowledged, in order. */
  #reports: RotationReport[] = [];

  constructor(private readonly settings: RotationsSettings) {}

  get exitsInUse(): Iterable<Exit> {
    return this.#running.values();
  }

  get wanted(): number {
    return Math.max(0, this.settings.limits.linkCallsAtOnce - this.#running.size);
  }

  get reports(): readonly RotationReport[] {
    return this.#reports.slice(0, ROTATIONS_MAX);
  }

  acknowledge(reports: readonly RotationReport[]): void {
    this.#reports = this.#reports.filter((report) => !reports.includes(report));
  }

  stop(): void {
    this.settings.endCalls();
  }

  /** @param onReport called when there is something to report */
  start({ id, exit: description, link }: RotationOrder, onReport: () => void): void {
    if (this.#running.has(id)) return;
    const exit = this.settings.exits.get(description);
    this.#running.set(id, exit);
    const report = (what: Omit<RotationReport, 'id'>) => {
      this.#reports.push({ id, ...what });
      onReport();
    };
    const call = async () => {
      const { address } = await this.settings.performer.check(exit);
      report({ outcome: 'called', ...(address !== undefined && { address }) });
      this.settings.resetTunnels(exit);
      await this.settings.callLink(link, description);
    };
    const run = call()
      .catch((error: unknown) => {
        if (!(error instanceof LinkFailure)) throw error;
        this.settings.log.info({ exitId: description.id, reason: error.reason }, 'An address could not be changed');
        report({ outcome: 'failed', reason: error.reason });
      })
      .finally(() => this.#running.delete(id));
    inBackground(this.settings.log, 'change of an address', run);
  }
}
