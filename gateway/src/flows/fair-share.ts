import { descriptorsForFlows, flowDescriptors } from '../descriptors.ts';
import type { Limits } from '../limits.ts';

/** Above this share of a limit of the node, no connection may grow beyond its equal share of it. */
const BUSY_SHARE = 0.8;

/** Counts towards the limits of the node, of all connections or of one. Associations are tunnels, too. */
export interface FlowCounts {
  readonly tunnels: number;
  readonly associations: number;
}

interface NodeUse {
  readonly node: FlowCounts;
  readonly own: FlowCounts;
  /** Connections with a flow, including this one. */
  readonly connections: number;
  /** In use by all clients and flows; DNS ports have their own limits. */
  readonly descriptors: number;
}

/**
 * Whether one connection may open another flow while the node is busy. The last fifth of each limit belongs to connections
 * with less than their equal share, so that one customer with many tunnels does not lock out the others. Everybody's first flow is allowed until a limit is
 * reached.
 * @param flow what would be opened
 */
export function isWithinFairShare(
  limits: Limits,
  flow: FlowCounts,
  { node, own, connections, descriptors }: NodeUse,
): boolean {
  if (own.tunnels === 0) return true;
  const after = { tunnels: own.tunnels + flow.tunnels, associations: own.associations + flow.associations };
  const allows = (limit: number, used: number, ownUsed: number) =>
    used < limit * BUSY_SHARE || ownUsed <= limit / connections;
  return (
    allows(limits.tunnelsPerNode, node.tunnels, after.tunnels) &&
    (flow.associations === 0 || allows(limits.associationsPerNode, node.associations, after.associations)) &&
    allows(descriptorsForFlows(limits), descriptors, flowDescriptors(after))
  );
}
