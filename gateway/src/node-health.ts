import type { Reporter } from './connections/reporter.ts';
import type { ControlHealth } from './control/control-health.ts';
import type { EndWatch } from './control/end-watch.ts';
import type { Greetings } from './control/greetings.ts';
import type { Metrics } from './metrics.ts';

interface ControlState {
  readonly health: ControlHealth;
  readonly reporter: Reporter;
  readonly greetings: Greetings;
  readonly endWatch: EndWatch;
}

export interface NodeHealth {
  readonly status: 'ok' | 'degraded';
  readonly controlPlane: ControlHealth['state'];
  readonly refusedConnections: number;
}

/** A node that cannot report its traffic goes on within its grants only, so it is not well. */
export function healthOf({ health, reporter }: ControlState): NodeHealth {
  const { refusedConnections } = reporter;
  const isWell = health.state === 'ok' && refusedConnections === 0;
  return { status: isWell ? 'ok' : 'degraded', controlPlane: health.state, refusedConnections };
}

export function watchControl(metrics: Metrics, { health, reporter, greetings, endWatch }: ControlState): void {
  const answers = () => (health.state === 'away' ? 0 : 1);
  metrics.watch('gateway_control_plane_up', '1 while the control plane answers', answers);
  metrics.watch('gateway_control_contract_version', 'What the control plane speaks; 0: not known yet', () => {
    return greetings.controlPlaneVersion;
  });
  metrics.watch('gateway_ends_are_told', '1 while the control plane tells of ends by itself', () => {
    return endWatch.isHeld ? 1 : 0;
  });
  metrics.watch('gateway_refused_connections', 'Connections whose reports alone are refused', () => {
    return reporter.refusedConnections;
  });
}
