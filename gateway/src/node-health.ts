import type { Reporter } from './connections/reporter.ts';
import type { ControlHealth } from './control/control-health.ts';
import type { EndWatch } from './control/end-watch.ts';
import type { Heartbeat } from './control/heartbeat.ts';
import type { Metrics } from './metrics.ts';

interface ControlState {
  readonly health: ControlHealth;
  readonly reporter: Reporter;
  readonly heartbeat: Heartbeat;
  readonly endWatch: EndWatch;
}

export interface NodeHealth {
  readonly status: 'ok' | 'degraded';
  readonly controlPlane: ControlHealth['state'];
  readonly refusedConnections: number;
}

/** A node that cannot report its traffic is degraded: it can only use up its existing grants. */
export function healthOf({ health, reporter }: ControlState): NodeHealth {
  const { refusedConnections } = reporter;
  const isHealthy = health.state === 'ok' && refusedConnections === 0;
  return { status: isHealthy ? 'ok' : 'degraded', controlPlane: health.state, refusedConnections };
}

export function watchControl(metrics: Metrics, { health, reporter, heartbeat, endWatch }: ControlState): void {
  const isUp = () => (health.state === 'away' ? 0 : 1);
  metrics.watch('gateway_control_plane_up', '1 while the control plane is available', isUp);
  metrics.watch('gateway_control_contract_version', 'Contract version of the control plane; 0: not known yet', () => {
    return heartbeat.controlPlaneVersion;
  });
  metrics.watch(
    'gateway_end_watch_active',
    '1 while the control plane holds the long poll for ended connections',
    () => {
      return endWatch.isHeld ? 1 : 0;
    },
  );
  metrics.watch(
    'gateway_refused_connections',
    'Connections whose reports are refused while others are accepted',
    () => {
      return reporter.refusedConnections;
    },
  );
}
