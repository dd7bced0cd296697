import type { Logger } from 'pino';
import type { Connections } from './connections.ts';
import type { DescriptorWatch } from './descriptors.ts';
import type { Limits } from './limits.ts';
import type { LoginGuard } from './login-guard.ts';
import type { Metrics } from './metrics.ts';
import type { Mover } from './pipe/pipe.ts';
import type { EndReason, Tunnel } from './tunnel.ts';

/** What the parts of a running gateway share. */
export interface GatewayContext {
  readonly limits: Limits;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly mover: Mover;
  readonly connections: Connections;
  readonly loginGuard: LoginGuard;
  readonly tunnels: Set<Tunnel>;
  /** Tunnels whose socket to the destination, or the dial of it, is open; a tunnel that has ended may be among them. */
  readonly exitSockets: Set<Tunnel>;
  readonly descriptors: DescriptorWatch;
  readonly isDraining: boolean;
  tunnelClosed(tunnel: Tunnel, reason: EndReason): void;
}
