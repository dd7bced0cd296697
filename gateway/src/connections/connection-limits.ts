import type { ConnectionLimits as Received } from '@cellhop/contract/connection-limits';
import { isPortAllowed, parsePortRule, type PortRule } from '@cellhop/contract/port-rules.values';
import { SpeedLimit } from '../metering/speed-limit.ts';

/** Without limits from the control plane: mail servers are closed to all, because one customer who sends spam blocks the exit for others. */
const DEFAULT_PORTS: PortRule = { isAllowed: false, ranges: [{ first: 25, last: 25 }] };

/** What the operator limits on one connection. It may change while tunnels are open, which stay open. */
export class ConnectionLimits {
  /** Another object after each change. */
  ports = DEFAULT_PORTS;
  /** Open at the same time. */
  tunnels = Number.POSITIVE_INFINITY;
  /** Undefined without a limit: then traffic costs nothing more than this check. */
  speed: SpeedLimit | undefined;
  #received: Received = { ports: null, tunnels: null, bytesPerSecond: null };
  #nextCheckAt: number;

  /** @param checkMs the interval at which reports ask for the limits */
  constructor(private readonly checkMs: number) {
    this.#nextCheckAt = performance.now() + checkMs;
  }

  /** Whether the next report shall ask; once in each interval. */
  takeCheck(now: number): boolean {
    if (now < this.#nextCheckAt) return false;
    this.#nextCheckAt = now + this.checkMs;
    return true;
  }

  allowsPort(port: number): boolean {
    return isPortAllowed(this.ports, port);
  }

  /** @param limits undefined: unknown to the control plane, so nothing changes */
  update(limits: Received | undefined): void {
    if (!limits) return;
    if (limits.ports !== this.#received.ports) this.ports = parsePortRule(limits.ports ?? '') ?? DEFAULT_PORTS;
    this.tunnels = limits.tunnels ?? Number.POSITIVE_INFINITY;
    this.#changeSpeed(limits.bytesPerSecond);
    this.#received = limits;
  }

  #changeSpeed(bytesPerSecond: number | null): void {
    const { speed } = this;
    if (bytesPerSecond === null) {
      this.speed = undefined;
      speed?.release();
    } else if (speed) speed.change(bytesPerSecond);
    else this.speed = new SpeedLimit(bytesPerSecond);
  }
}
