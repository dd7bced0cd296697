/** Requests of gateway nodes, and their registration. Pricing is in billing/. */
import { AppError } from '@cellhop/contract/errors';
import { echo } from '@cellhop/contract/exit-checks';
import {
  type Access,
  type Authorization,
  type authorizeAddress as authorizeAddressEndpoint,
  type authorizeBody,
  type Credit,
  type dnsPorts,
  GATEWAY_CONTRACT_VERSION,
  type hello,
  OLDEST_GATEWAY_CONTRACT_VERSION,
  type Usage,
} from '@cellhop/contract/gateway';
import type { Output } from '@cellhop/contract/endpoint';
import { createHash, randomBytes } from 'node:crypto';
import type { z } from 'zod';
import type { Ctx } from '../../ctx.ts';
import { databaseEndpoint } from '../../db/database-connection.ts';
import type { PortRange } from '@cellhop/contract/network';
import { openInRun } from '../billing/runs.service.ts';
import {
  chargeReports,
  processReports,
  type ConnectionCredit,
  type UsageReport,
} from '../billing/usage-reports.service.ts';
import { listPurchaseNetworks, readAccess, recordClientAddress } from '../connections/access.service.ts';
import { noteRefusedLogin, recordRefusals } from '../connections/refusals.service.ts';
import { readRevision } from '../destinations/destinations.service.ts';
import { exchangeWitness } from '../invoices/witness-exchange.service.ts';
import { readLimits } from '../proxies/limits.service.ts';
import { findLogin, findLoginByAddress, type Login, type RefusedLogin } from '../connections/logins.service.ts';
import { recordLost } from './exit-checks.service.ts';
import { saveStatus } from './nodes.service.ts';
import * as store from './gateway.store.ts';

/** The node whose token is a setting. */
export const DEFAULT_NODE_NAME = 'default';
/** How long the old token stays valid, so that a gateway can be restarted with the new one. */
const TOKEN_OVERLAP_MS = 24 * 60 * 60 * 1000;

/** Registers the node from the settings and its DNS ports. Runs once, when the database is prepared. */
export async function registerNode(ctx: Ctx): Promise<void> {
  const { token, dnsPorts } = ctx.config.gateway;
  await ctx.tx(async (ctx) => {
    await store.saveNode(ctx, DEFAULT_NODE_NAME, hashToken(token), TOKEN_OVERLAP_MS);
    await store.saveDnsPorts(ctx, DEFAULT_NODE_NAME, dnsPorts);
  });
}

export interface NodeOptions {
  /** The host and port that its customers connect to; by default those of the built-in node. */
  address?: store.NodeAddress | undefined;
  dnsPorts?: PortRange | undefined;
}

/**
 * Registers another gateway, or issues a new token to a known one. The old token stays valid for 24 hours. What `options` leave
 * out keeps its value.
 * @returns the token. Only its hash is stored, so it cannot be shown again.
 */
export async function addNode(ctx: Ctx, name: string, { address, dnsPorts }: NodeOptions = {}): Promise<string> {
  const token = randomBytes(32).toString('hex');
  await ctx.tx(async (ctx) => {
    await store.saveNode(ctx, name, hashToken(token), TOKEN_OVERLAP_MS);
    if (address) await store.saveAddress(ctx, name, address);
    if (dnsPorts) await store.saveDnsPorts(ctx, name, dnsPorts);
  });
  return token;
}

/** Counts the free DNS ports of each node that has any. */
export function countFreeDnsPorts(ctx: Ctx): Promise<store.FreeDnsPorts[]> {
  return store.countFreeDnsPorts(ctx);
}

/** @returns the node's id. @throws AppError UNAUTHORIZED */
export async function authenticateNode(ctx: Ctx, token: string | undefined): Promise<string> {
  const nodeId = token === undefined ? undefined : await store.findNode(ctx, hashToken(token));
  if (!nodeId) throw new AppError('UNAUTHORIZED');
  return nodeId;
}

/** Tokens are long and random, so a fast hash without a salt is enough. */
function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** @returns milliseconds since the last report of any gateway; undefined if there was none */
export function gatewaySilenceMs(ctx: Ctx): Promise<number | undefined> {
  return store.readSilence(ctx);
}

/**
 * Stores the status that the node reports, and returns the contract versions of this API. Logs a warning if the node is too old to be
 * served.
 */
export async function handleHello(
  ctx: Ctx,
  nodeId: string,
  { contractVersion, runId, status, witness }: z.output<typeof hello.body>,
): Promise<Output<typeof hello>['data']> {
  await saveStatus(ctx, nodeId, runId, { ...status, contractVersion });
  if (contractVersion < OLDEST_GATEWAY_CONTRACT_VERSION)
    ctx.log.warn({ nodeId, contractVersion }, 'This gateway is too old for the API: upgrade it');
  const remembered = await exchangeWitness(ctx, nodeId, witness);
  return {
    contractVersion: GATEWAY_CONTRACT_VERSION,
    oldestContractVersion: OLDEST_GATEWAY_CONTRACT_VERSION,
    publicUrl: ctx.config.publicUrl,
    echoUrls: [...(ctx.config.echoUrl === undefined ? [] : [ctx.config.echoUrl]), `${ctx.config.publicUrl}${echo.url}`],
    refusedUpstreams: [databaseEndpoint(ctx.config.databaseUrl)],
    purchaseNetworks: await listPurchaseNetworks(ctx, nodeId),
    ...(remembered && { witness: remembered }),
    refusedRevision: await readRevision(ctx),
  };
}

/** Checks the credentials of a connection's first tunnel and opens the connection in this run. */
export async function authorize(
  ctx: Ctx,
  nodeId: string,
  { runId, username, password, clientAddress }: z.output<typeof authorizeBody>,
): Promise<Authorization> {
  const login = await findLogin(ctx, username, password);
  if ('refusal' in login && login.refusal) noteRefusedLogin(ctx, nodeId, login.refusal);
  const authorization = await open(ctx, nodeId, runId, login);
  if (authorization.isAuthorized && clientAddress !== undefined)
    await recordClientAddress(ctx, authorization.connectionId, clientAddress);
  return authorization;
}

/** Opens the connection that lists the address of a client without credentials most specifically; with a DNS port, the connection that has it. */
export async function authorizeAddress(
  ctx: Ctx,
  nodeId: string,
  { runId, clientAddress, dnsPort }: z.output<typeof authorizeAddressEndpoint.body>,
): Promise<Authorization> {
  if (dnsPort === undefined) return open(ctx, nodeId, runId, await findLoginByAddress(ctx, nodeId, clientAddress));
  const connectionId = await store.findConnectionOfDnsPort(ctx, nodeId, dnsPort);
  if (connectionId === undefined) return refusal(undefined);
  return open(ctx, nodeId, runId, await findLoginByAddress(ctx, nodeId, clientAddress, connectionId));
}

/** The DNS ports of a node whose connections list clients. */
export async function listDnsPorts(ctx: Ctx, nodeId: string): Promise<Output<typeof dnsPorts>['data']> {
  const used = await store.findUsedDnsPorts(ctx, nodeId);
  const accessById = await readAccess(
    ctx,
    used.map(({ connectionId }) => connectionId),
  );
  const listed = used.map(({ port, connectionId }) => ({
    port,
    allowList: accessById.get(connectionId)?.allowList ?? [],
  }));
  return listed.filter(({ allowList }) => allowList.length > 0);
}

async function open(ctx: Ctx, nodeId: string, runId: string, login: Login | RefusedLogin): Promise<Authorization> {
  if (!('connectionId' in login)) return refusal(login.reason);
  if (login.nodeId !== nodeId) return refusal(undefined);
  await registerRun(ctx, runId, nodeId);
  const credit = await openInRun(ctx, login.connectionId, runId);
  // Read after the run has opened the connection: it is notified of later changes.
  const access = (await readAccess(ctx, [login.connectionId])).get(login.connectionId);
  // The connection ended, or its password was changed, between the two queries.
  if (!credit || !access || access.passwordRevision !== login.passwordRevision) return refusal(undefined);
  const dnsPort = await store.findDnsPort(ctx, nodeId, login.connectionId);
  const limits = (await readLimits(ctx, [login.connectionId])).get(login.connectionId);
  const [usedBytes, uploadedBytes] = [Number(credit.usedBytes), Number(credit.uploadedBytes)];
  const opened = { ...toCredit(credit), exit: login.exit, usedBytes, uploadedBytes, access, dnsPort };
  return { ...opened, isAuthorized: true, ...(limits && { limits }) };
}

function refusal(reason: RefusedLogin['reason']): Authorization {
  return { isAuthorized: false, ...(reason && { reason }) };
}

/** Processes the usage totals of a run. @returns the credit of each connection */
export async function update(ctx: Ctx, nodeId: string, runId: string, usages: readonly Usage[]): Promise<Credit[]> {
  const run = await findOwnRun(ctx, runId, nodeId);
  // Of a time that a restore of the database has lost: it has opened nothing that this database knows.
  if (!run) await recordRun(ctx, runId, nodeId);
  // Before the connections end: their proxies would be for sale again.
  const lost = usages.filter(({ isExitLost }) => isExitLost).map(({ connectionId }) => connectionId);
  if (lost.length > 0) await recordLost(ctx, nodeId, lost);
  const credits = await processReports(ctx, runId, usages.map(toReport));
  await recordRefusals(ctx, nodeId, usages);
  const newerAccess = await readNewerAccess(ctx, usages, credits);
  const wanted = usages.filter(({ areLimitsWanted }) => areLimitsWanted).map(({ connectionId }) => connectionId);
  const limitsById = await readLimits(ctx, wanted);
  // Only after the reports are saved: the idle check assumes that a run seen at a time has reported everything before it.
  // Each update of `seen_at` is a separate commit and gateways report several times a second, so most calls skip it.
  if (!run?.isFresh) await recordRun(ctx, runId, nodeId);
  return credits.map((credit) => {
    const access = newerAccess.get(credit.connectionId);
    const limits = limitsById.get(credit.connectionId);
    return { ...toCredit(credit), ...(access && { access }), ...(limits && { limits }) };
  });
}

/** Reads the access of connections whose revision is newer than the reported one. */
async function readNewerAccess(
  ctx: Ctx,
  usages: readonly Usage[],
  credits: readonly ConnectionCredit[],
): Promise<Map<string, Access>> {
  const reported = new Map(usages.map(({ connectionId, accessRevision }) => [connectionId, accessRevision]));
  const newer = credits.filter(({ connectionId, accessRevision }) => {
    const reportedRevision = reported.get(connectionId);
    return reportedRevision !== undefined && accessRevision !== undefined && reportedRevision < accessRevision;
  });
  if (newer.length === 0) return new Map();
  return readAccess(
    ctx,
    newer.map(({ connectionId }) => connectionId),
  );
}

/** Processes the final totals of connections that a run has closed. */
export async function end(
  ctx: Ctx,
  nodeId: string,
  runId: string,
  usages: readonly Omit<Usage, 'wantedBytes' | 'isExitLost' | 'accessRevision' | 'areLimitsWanted'>[],
): Promise<{ acknowledged: string[] }> {
  await registerRun(ctx, runId, nodeId);
  const reports = usages.map((usage) => toReport({ ...usage, wantedBytes: 0, isExitLost: false }));
  if (reports.length > 0) await chargeReports(ctx, runId, reports, 'close');
  await recordRefusals(ctx, nodeId, usages);
  return { acknowledged: usages.map((usage) => usage.connectionId) };
}

/**
 * Only `update` refreshes `seen_at`, because only it reports the totals of everything that the run has open.
 * @throws AppError FORBIDDEN if the run belongs to another node
 */
async function registerRun(ctx: Ctx, runId: string, nodeId: string): Promise<void> {
  if (!(await findOwnRun(ctx, runId, nodeId))) await recordRun(ctx, runId, nodeId);
}

/** @throws AppError FORBIDDEN if the run belongs to another node */
export async function findOwnRun(ctx: Ctx, runId: string, nodeId: string): Promise<store.KnownRun | undefined> {
  const run = await store.findRun(ctx, runId, nodeId);
  if (run && !run.isOwn) throw new AppError('FORBIDDEN');
  return run;
}

async function recordRun(ctx: Ctx, runId: string, nodeId: string): Promise<void> {
  if (!(await store.touchRun(ctx, runId, nodeId))) throw new AppError('FORBIDDEN');
}

function toReport({
  connectionId,
  usedBytes,
  uploadedBytes,
  wantedBytes,
  isExitLost,
}: Omit<Usage, 'accessRevision'>): UsageReport {
  return {
    connectionId,
    usedBytes: BigInt(usedBytes),
    uploadedBytes: BigInt(uploadedBytes),
    wantedBytes: BigInt(wantedBytes),
    isExitLost,
  };
}

function toCredit({ connectionId, grantedBytes, state, reason }: ConnectionCredit): Credit {
  return { connectionId, grantedBytes: Number(grantedBytes), state, ...(reason && { reason }) };
}
