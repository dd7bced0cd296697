/** The settings and the report of a fuzz run. */
import type { Relay } from '../../src/pipe/pipe.ts';
import type { Measurement } from './node-process.ts';

/** Short timeouts, so that inputs that wait for them end soon. The login limit is disabled; other limits are not reached. */
export const LIMITS = {
  loginFailuresPerMinute: 0,
  halfOpenPerNetwork: 2_048,
  handshakeMs: 2_500,
  nextRequestMs: 1_000,
  lingerMs: 200,
  flushMs: 2_000,
  dialMs: 5_000,
  // The control plane of the run must not seem unavailable when the machine is busy.
  controlRequestMs: 30_000,
  tunnelIdleMs: 3_000,
  udpIdleMs: 3_000,
  halfClosedIdleMs: 3_000,
  grantWaitMs: 2_000,
  clientSocketsPerConnection: 10_000,
};

export interface FuzzSettings {
  readonly seed: number;
  readonly inputs: number;
  readonly first?: number;
  /** Inputs per batch. After each batch the gateway must have released everything. */
  readonly batch: number;
  /** Ports of origins and gateway: the inputs contain them, so a replay needs the same ones. */
  readonly ports?: readonly [origin: number, gateway: number];
  /** By default native code, where it can be built. */
  readonly relay?: Relay['kind'];
  readonly progress?: (line: string) => void;
  /** Called with each fault at once: a run that is stopped has no report. */
  readonly faulted?: (fault: string) => void;
}

export interface FuzzReport {
  readonly inputs: number;
  readonly seconds: number;
  readonly dialled: number;
  readonly byKind: ReadonlyMap<string, { inputs: number; dialled: number }>;
  readonly before: Measurement;
  readonly after: Measurement;
  /** The largest heap after any batch. */
  readonly heapBytesMax: number;
  readonly slowest: { readonly milliseconds: number; readonly what: string };
  readonly faults: readonly string[];
}
