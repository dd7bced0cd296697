/** Which places no imported upstream proxy may have: those of the shop itself. Gateways refuse them too, at each dial. */
import { canonicalAddress } from '@cellhop/contract/network';
import type { Ctx } from '../../ctx.ts';
import { databaseEndpoint } from '../../db/database-connection.ts';
import { readNodePlaces } from './imports.store.ts';

const LOOPBACK = /^(?:127\..*|0\.0\.0\.0|::1?|localhost|.*\.localhost)$/;

export type IsRefusedUpstream = (nodeId: string, host: string, port: number) => boolean;

/** Reads the nodes once; a name is compared as text, because each gateway resolves it by itself. */
export async function readRefusedUpstreams(ctx: Ctx): Promise<IsRefusedUpstream> {
  const { config } = ctx;
  const places = new Set<string>();
  const addUrl = (text: string) => {
    const { hostname, port, protocol } = new URL(text);
    places.add(place(hostname.replaceAll(/[[\]]/g, ''), Number(port) || (protocol === 'https:' ? 443 : 80)));
  };
  addUrl(databaseEndpoint(config.databaseUrl));
  addUrl(config.publicUrl);
  places.add(place(config.host, config.port));
  if (config.internalPort !== undefined) places.add(place(config.internalHost, config.internalPort));
  const nodes = new Map<string, { ownPort: number; isHere: boolean }>();
  for (const { id, host, port } of await readNodePlaces(ctx)) {
    places.add(place(host ?? config.gateway.host, port ?? config.gateway.port));
    // A node with a host of its own is another machine. If it is this one nevertheless, it refuses these places at each dial.
    nodes.set(id, { ownPort: port ?? config.gateway.port, isHere: host === null });
  }
  return (nodeId, host, port) => {
    const asked = place(host, port);
    const node = nodes.get(nodeId);
    // For each node, localhost is its own machine.
    const isNamed = places.has(asked) && (node?.isHere !== false || !asked.startsWith('localhost '));
    return isNamed || asked === `localhost ${node?.ownPort}`;
  };
}

function place(host: string, port: number): string {
  const canonical = canonicalAddress(host) ?? host.toLowerCase();
  return `${LOOPBACK.test(canonical) ? 'localhost' : canonical} ${port}`;
}
