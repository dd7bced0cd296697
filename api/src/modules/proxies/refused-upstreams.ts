/** Which places no imported upstream proxy may have: those of the shop itself. Gateways refuse them too, at each dial. */
import { canonicalAddress } from '@cellhop/contract/network';
import type { Ctx } from '../../ctx.ts';
import { databaseEndpoint } from '../../db/database-connection.ts';
import { readNodePlaces } from './imports.store.ts';

const LOOPBACK = /^(?:127\..*|0\.0\.0\.0|::1?|localhost|.*\.localhost)$/;

export type IsRefusedUpstream = (host: string, port: number) => boolean;

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
  for (const node of await readNodePlaces(ctx)) {
    const { host, port } = { host: node.host ?? config.gateway.host, port: node.port ?? config.gateway.port };
    // The second is how its own machine sees it.
    places.add(place(host, port)).add(place('localhost', port));
  }
  return (host, port) => places.has(place(host, port));
}

function place(host: string, port: number): string {
  const canonical = canonicalAddress(host) ?? host.toLowerCase();
  return `${LOOPBACK.test(canonical) ? 'localhost' : canonical} ${port}`;
}
