import type { Exit } from '../exits/exit.ts';
import type { EndReason, Flow } from '../flows/flow.ts';
import type { Credit } from '../metering/credit.ts';
import { Pace } from '../metering/pace.ts';
import type { TokenBucket } from './token-bucket.ts';

/** A purchase as this run knows it: who may use it, how its traffic leaves, what it may use. */
export class Connection {
  readonly flows = new Set<Flow>();
  lastTunnelAt = performance.now();
  /** When the control plane has last been asked about the password. */
  confirmedAt = performance.now();
  readonly pace: Pace;
  /** Set when this run is done with it: no tunnel starts any more and the last total is on its way. */
  isEnding = false;
  forget: () => void = () => {};
  /** Fulfilled when the control plane has the last total. */
  readonly forgotten = new Promise<void>((fulfil) => {
    this.forget = fulfil;
  });

  constructor(
    readonly id: string,
    readonly username: string,
    /** Keyed hash of the password; undefined when the control plane no longer takes it. */
    public digest: Buffer | undefined,
    readonly exit: Exit,
    readonly credit: Credit,
    readonly newTunnels: TokenBucket,
  ) {
    this.pace = new Pace(credit.usedBytes, performance.now());
  }

  cut(reason: EndReason): void {
    for (const flow of this.flows) flow.close(reason);
  }
}
