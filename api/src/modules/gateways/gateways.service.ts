/** What gateways ask and report, and their registration. What it costs is decided in billing/. */
import { AppError } from '@cellhop/contract/errors';
import {
  type Access,
  type Authorization,
  type authorizeBody,
  type Credit,
  GATEWAY_CONTRACT_VERSION,
  type hello,
  OLDEST_GATEWAY_CONTRACT_VERSION,
  type Usage,
} from '@cellhop/contract/gateway';
import type { Output } from '@cellhop/contract/endpoint';
import { createHash, randomBytes } from 'node:crypto';
import type { z } from 'zod';
import type { Ctx } from '../../ctx.ts';
import {
  openInRun,
  settleReports,
  takeReports,
  type CreditAnswer,
  type UsageReport,
} from '../billing/settlement.service.ts';
import { noteClientAddress, readAccess } from '../connections/access.service.ts';
import { findLogin, findLoginByAddress, type Login, type RefusedLogin } from '../connections/logins.service.ts';
import { findConnectionsOfRuns, findEnding, findEndsOfRuns } from '../billing/ending.service.ts';
import type { GatewayTopic } from '../../live/changes.ts';
import { HeldCalls, type News } from './held-calls.ts';
import * as store from './gateways.store.ts';

export { HeldCalls };

/** The node whose token is a setting. */
export const DEFAULT_NODE_NAME = 'default';
/** A gateway that was started with the old token has so long to be started with the new one. */
const TOKEN_OVERLAP_MS = 24 * 60 * 60 * 1000;

/** Registers the node of the settings and its DNS ports; run once when the database is prepared. */
export async function registerNode(ctx: Ctx): Promise<void> {
  const { token, firstDnsPort, lastDnsPort } = ctx.config.gateway;
  await ctx.tx(async (ctx) => {
    await store.saveNode(ctx, DEFAULT_NODE_NAME, hashToken(token), TOKEN_OVERLAP_MS);
    await store.saveDnsPorts(ctx, firstDnsPort, lastDnsPort);
  });
}

/**
 * Registers a further gateway, or gives one a new token; its old one works for 24 hours more.
 * @returns the token; it is not stored and cannot be shown again
 */
export async function addNode(ctx: Ctx, name: string): Promise<string> {
  const token = randomBytes(32).toString('hex');
  await store.saveNode(ctx, name, hashToken(token), TOKEN_OVERLAP_MS);
  return token;
}

/** @returns the node's id. @throws AppError UNAUTHORIZED */
export async function authenticateNode(ctx: Ctx, token: string | undefined): Promise<string> {
  const nodeId = token === undefined ? undefined : await store.findNode(ctx, hashToken(token));
  if (!nodeId) throw new AppError('UNAUTHORIZED');
  return nodeId;
}

/** Tokens are random and long, so a plain hash keeps them. */
function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Milliseconds since a gateway was last heard of; undefined if never. */
export function gatewaySilenceMs(ctx: Ctx): Promise<number | undefined> {
  return store.readSilence(ctx);
}

/** Tells a node what this side speaks; the operators learn of a node that is too old to be served. */
export function greet(ctx: Ctx, nodeId: string, contractVersion: number): Output<typeof hello>['data'] {
  if (contractVersion < OLDEST_GATEWAY_CONTRACT_VERSION)
    ctx.log.warn({ nodeId, contractVersion }, 'This gateway is too old for the API: upgrade it');
  return {
    contractVersion: GATEWAY_CONTRACT_VERSION,
    oldestContractVersion: OLDEST_GATEWAY_CONTRACT_VERSION,
    publicUrl: ctx.config.publicUrl,
  };
}

/** Checks a first tunnel's credentials and opens the connection in this run. */
export async function authorize(
  ctx: Ctx,
  nodeId: string,
  { runId, username, password, clientAddress }: z.output<typeof authorizeBody>,
): Promise<Authorization> {
  const authorization = await open(ctx, nodeId, runId, await findLogin(ctx, username, password));
  if (authorization.isAuthorized && clientAddress !== undefined)
    await noteClientAddress(ctx, authorization.connectionId, clientAddress);
  return authorization;
}

/** Opens the one connection that lists the address of a client without credentials. */
export async function authorizeAddress(
  ctx: Ctx,
  nodeId: string,
  { runId, clientAddress }: { runId: string; clientAddress: string },
): Promise<Authorization> {
  return open(ctx, nodeId, runId, await findLoginByAddress(ctx, clientAddress));
}

async function open(ctx: Ctx, nodeId: string, runId: string, login: Login | RefusedLogin): Promise<Authorization> {
  if (!('connectionId' in login)) return refusal(login.reason);
  await registerRun(ctx, runId, nodeId);
  const credit = await openInRun(ctx, login.connectionId, runId);
  // Read when the run has the connection: of later changes it is told.
  const access = (await readAccess(ctx, [login.connectionId])).get(login.connectionId);
  // It ended, or got another password, between the two looks at it.
  if (!credit || access?.passwordRevision !== login.passwordRevision) return refusal(undefined);
  const [usedBytes, uploadedBytes] = [Number(credit.usedBytes), Number(credit.uploadedBytes)];
  return { isAuthorized: true, exit: login.exit, usedBytes, uploadedBytes, access, ...toCredit(credit) };
}

function refusal(reason: RefusedLogin['reason']): Authorization {
  return { isAuthorized: false, ...(reason && { reason }) };
}

/** Takes the totals of a run, answers how far each connection may go on. */
export async function update(ctx: Ctx, nodeId: string, runId: string, usages: readonly Usage[]): Promise<Credit[]> {
  const run = await findOwnRun(ctx, runId, nodeId);
  const answers = await takeReports(ctx, runId, usages.map(toReport));
  const accessOf = await readNewerAccess(ctx, usages, answers);
  // After the reports: who looks for idle connections believes that a run has told all. Each note is a commit of its own,
  // and gateways report several times a second: most need none.
  if (!run?.isFresh) await noteRun(ctx, runId, nodeId);
  return answers.map((answer) => {
    const access = accessOf.get(answer.connectionId);
    return { ...toCredit(answer), ...(access && { access }) };
  });
}

/** Of connections that others may use than the run believes. A node that says nothing of it is older than this. */
async function readNewerAccess(
  ctx: Ctx,
  usages: readonly Usage[],
  answers: readonly CreditAnswer[],
): Promise<Map<string, Access>> {
  const known = new Map(usages.map(({ connectionId, accessRevision }) => [connectionId, accessRevision]));
  const newer = answers.filter(({ connectionId, accessRevision }) => {
    const knownRevision = known.get(connectionId);
    return knownRevision !== undefined && accessRevision !== undefined && knownRevision < accessRevision;
  });
  if (newer.length === 0) return new Map();
  return readAccess(
    ctx,
    newer.map(({ connectionId }) => connectionId),
  );
}

/** Takes the last totals of a run on connections that it has closed. */
export async function end(
  ctx: Ctx,
  nodeId: string,
  runId: string,
  usages: readonly Omit<Usage, 'wantedBytes' | 'isExitLost' | 'accessRevision'>[],
): Promise<{ acknowledged: string[] }> {
  await registerRun(ctx, runId, nodeId);
  const reports = usages.map((usage) => toReport({ ...usage, wantedBytes: 0, isExitLost: false }));
  if (reports.length > 0) await settleReports(ctx, runId, reports, 'close');
  return { acknowledged: usages.map((usage) => usage.connectionId) };
}

/**
 * Waits for news of the run's connections.
 * @returns nothing when the time is over, or when the call cannot be held
 */
export async function watch(ctx: Ctx, heldCalls: HeldCalls, nodeId: string, runId: string): Promise<News> {
  if (!(await findOwnRun(ctx, runId, nodeId))) return {};
  const news = heldCalls.hold(runId, nodeId);
  // Held before the look, so that no end is between the two.
  const before = await findEnding(ctx, runId);
  if (before.length > 0) heldCalls.tell(runId, { ended: new Map(before.map((end) => [end.connectionId, end.reason])) });
  return news;
}

/** Answers the calls that wait for this. */
export async function tellGateways(
  ctx: Ctx,
  heldCalls: HeldCalls,
  topic: GatewayTopic,
  connectionIds: readonly string[],
): Promise<void> {
  const { runIds } = heldCalls;
  if (runIds.length === 0) return;
  if (topic === 'ending') {
    const ends = groupByRun(await findEndsOfRuns(ctx, connectionIds, runIds));
    for (const [runId, ofRun] of ends)
      heldCalls.tell(runId, { ended: new Map(ofRun.map((end) => [end.connectionId, end.reason])) });
    return;
  }
  const areAllowListsChanged = topic === 'allow-list';
  const accessOf = await readAccess(ctx, connectionIds);
  const found = groupByRun(await findConnectionsOfRuns(ctx, [...accessOf.keys()], runIds));
  for (const runId of areAllowListsChanged ? runIds : found.keys()) {
    const ids = (found.get(runId) ?? []).map(({ connectionId }) => connectionId);
    heldCalls.tell(runId, { changed: new Map(ids.map((id) => [id, accessOf.get(id)!])), areAllowListsChanged });
  }
}

function groupByRun<Item extends { runId: string }>(items: readonly Item[]): Map<string, Item[]> {
  const byRun = new Map<string, Item[]>();
  for (const item of items) byRun.set(item.runId, [...(byRun.get(item.runId) ?? []), item]);
  return byRun;
}

/**
 * Only an update is a sign of life: it tells the totals of all that the run has open.
 * @throws AppError FORBIDDEN if the run belongs to another node
 */
async function registerRun(ctx: Ctx, runId: string, nodeId: string): Promise<void> {
  if (!(await findOwnRun(ctx, runId, nodeId))) await noteRun(ctx, runId, nodeId);
}

async function findOwnRun(ctx: Ctx, runId: string, nodeId: string): Promise<store.KnownRun | undefined> {
  const run = await store.findRun(ctx, runId, nodeId);
  if (run && !run.isOwn) throw new AppError('FORBIDDEN');
  return run;
}

async function noteRun(ctx: Ctx, runId: string, nodeId: string): Promise<void> {
  if (!(await store.touchRun(ctx, runId, nodeId))) throw new AppError('FORBIDDEN');
}

function toReport({ connectionId, usedBytes, uploadedBytes, wantedBytes, isExitLost }: Usage): UsageReport {
  return {
    connectionId,
    usedBytes: BigInt(usedBytes),
    uploadedBytes: BigInt(uploadedBytes),
    wantedBytes: BigInt(wantedBytes),
    isExitLost,
  };
}

function toCredit({ connectionId, grantedBytes, state, reason }: CreditAnswer): Credit {
  return { connectionId, grantedBytes: Number(grantedBytes), state, ...(reason && { reason }) };
}
