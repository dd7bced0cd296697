import type { Exit } from '../exits/exit.ts';
import type { EndReason, Flow } from '../flows/flow.ts';
import type { Credit } from '../metering/credit.ts';
import { RateEstimator } from '../metering/rate.ts';
import type { TokenBucket } from './token-bucket.ts';

/** An open connection in this run: its credentials, exit, credit and flows. */
export class Connection {
  readonly flows = new Set<Flow>();
  lastTunnelAt = performance.now();
  /** When the control plane last checked the password. */
  credentialsCheckedAt = performance.now();
  readonly rate: RateEstimator;
  /** No new tunnel starts, and the final total is being delivered. */
  isEnding = false;
  acknowledgeEnd: () => void = () => {};
  /** Resolved when the control plane has acknowledged the final total. */
  readonly endAcknowledged = new Promise<void>((fulfil) => {
    this.acknowledgeEnd = fulfil;
  });

  constructor(
    readonly id: string,
    readonly username: string,
    /** Keyed hash of the password; undefined after the control plane has refused it. */
    public digest: Buffer | undefined,
    readonly exit: Exit,
    readonly credit: Credit,
    readonly newTunnels: TokenBucket,
  ) {
    this.rate = new RateEstimator(credit.usedBytes, performance.now());
  }

  closeFlows(reason: EndReason): void {
    for (const flow of this.flows) flow.close(reason);
  }
}
