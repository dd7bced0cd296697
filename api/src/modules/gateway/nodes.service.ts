/** Gateway nodes as staff see them, and draining. */
import { certificateFits } from '@cellhop/contract/certificates';
import { AppError } from '@cellhop/contract/errors';
import type { NodeStatus } from '@cellhop/contract/node-status';
import { NODES_MAX } from '@cellhop/contract/limits';
import type { GatewayNode } from '@cellhop/contract/staff/nodes';
import { randomBytes } from 'node:crypto';
import type { Config } from '../../process/config.ts';
import type { Ctx } from '../../ctx.ts';
import { enqueue } from '../../jobs/jobs.ts';
import type { Requester } from '../../http/requester.ts';
import { refuseStale } from '../../db/refusals.ts';
import { record } from '../audit-log/audit-log.service.ts';
import * as store from './nodes.store.ts';

export async function listNodes(ctx: Ctx): Promise<GatewayNode[]> {
  const rows = await store.listNodes(ctx, null, NODES_MAX);
  return rows.map((row) => present(ctx.config, row));
}

function present({ gateway }: Config, row: store.NodeRow): GatewayNode {
  const { certificateNames: names, certificateEndsAt: endsAt, ...shown } = row;
  const host = row.publicHost ?? gateway.host;
  return {
    ...shown,
    certificate: names && endsAt && { endsAt: endsAt.toISOString(), fitsHost: certificateFits(names, host) },
    lastReportAt: row.lastReportAt?.toISOString() ?? null,
    host,
    port: row.publicPort ?? gateway.port,
    dnsPorts: { free: row.freeDnsPorts, total: row.dnsPorts },
  };
}

interface Change {
  isDraining: boolean;
  version?: number | undefined;
  reason?: string | undefined;
}

/**
 * From the commit on, purchases of the node's proxies are refused (api/sql/buy_proxy.sql). A job takes them out of the catalogue, because
 * there may be many.
 * @throws AppError NOT_FOUND, CHANGED_ELSEWHERE
 */
export async function changeNode(
  ctx: Ctx,
  { userId: actorId }: { userId: string },
  id: string,
  { isDraining, version, reason }: Change,
  requester: Requester,
): Promise<GatewayNode> {
  await ctx.tx(async (ctx) => {
    const node = await store.lockNode(ctx, id);
    if (!node) throw new AppError('NOT_FOUND', { thing: 'Node' });
    refuseStale(version, node.version);
    if (node.isDraining === isDraining) return;
    await store.setDraining(ctx, id, isDraining);
    await enqueue(ctx, 'proxies.follow-draining', { nodeId: id }, { key: `proxies.follow-draining:${id}` });
    await record(ctx, {
      action: isDraining ? 'NODE_DRAINED' : 'NODE_UNDRAINED',
      actorId,
      requester,
      subject: { type: 'NODE', id },
      reason,
      details: { name: node.name },
    });
  });
  const [changed] = await store.listNodes(ctx, id, 1);
  return present(ctx.config, changed!);
}

/** @throws Error with a sentence if there is no such node */
export async function requireNode(ctx: Ctx, name: string): Promise<string> {
  const id = await store.findByName(ctx, name);
  if (id === undefined) throw new Error(`There is no gateway "${name}".`);
  return id;
}

/** At the command line: a random token that is not shown takes the place of both that the node may use, and it is drained for good. */
export async function disableNode(ctx: Ctx, name: string): Promise<void> {
  const id = await requireNode(ctx, name);
  await ctx.tx(async (ctx) => {
    await store.disable(ctx, id, randomBytes(32));
    await enqueue(ctx, 'proxies.follow-draining', { nodeId: id }, { key: `proxies.follow-draining:${id}` });
    await record(ctx, {
      action: 'NODE_DISABLED',
      requester: undefined,
      subject: { type: 'NODE', id },
      details: { name },
    });
  });
}

/** @throws AppError FORBIDDEN if the run belongs to another node */
export async function saveStatus(
  ctx: Ctx,
  nodeId: string,
  runId: string,
  status: NodeStatus & { contractVersion: number },
): Promise<void> {
  if (!(await store.saveStatus(ctx, nodeId, runId, status))) throw new AppError('FORBIDDEN');
  await store.saveCertificate(ctx, nodeId, status.certificate);
}
