/** What gateways ask and report, and their registration. What it costs is decided in billing/. */
import { AppError } from '@cellhop/contract/errors';
import {
  type Authorization,
  type Credit,
  GATEWAY_CONTRACT_VERSION,
  type hello,
  OLDEST_GATEWAY_CONTRACT_VERSION,
  type Usage,
} from '@cellhop/contract/gateway';
import type { Output } from '@cellhop/contract/endpoint';
import { createHash, randomBytes } from 'node:crypto';
import type { Ctx } from '../../ctx.ts';
import type { PortRange } from '../../port-range.ts';
import {
  openInRun,
  settleReports,
  takeReports,
  type CreditAnswer,
  type UsageReport,
} from '../billing/settlement.service.ts';
import { findLogin } from '../connections/logins.service.ts';
import { findConnectionsOfRuns, findEnding } from '../billing/ending.service.ts';
import { HeldCalls } from './held-calls.ts';
import * as store from './gateways.store.ts';

export { HeldCalls };

/** The node whose token is a setting. */
export const DEFAULT_NODE_NAME = 'default';
/** A gateway that was started with the old token has so long to be started with the new one. */
const TOKEN_OVERLAP_MS = 24 * 60 * 60 * 1000;

/** Registers the node of the settings and its DNS ports; run once when the database is prepared. */
export async function registerNode(ctx: Ctx): Promise<void> {
  const { token, dnsPorts } = ctx.config.gateway;
  await ctx.tx(async (ctx) => {
    await store.saveNode(ctx, DEFAULT_NODE_NAME, hashToken(token), TOKEN_OVERLAP_MS);
    await store.saveDnsPorts(ctx, DEFAULT_NODE_NAME, dnsPorts);
    await store.freeDnsPortsOfEnded(ctx);
  });
}

export interface NodeOptions {
  /** What its customers are told to connect to; without it the settings of the built-in node. */
  address?: store.NodeAddress | undefined;
  dnsPorts?: PortRange | undefined;
}

/**
 * Registers a further gateway, or gives one a new token; its old one works for 24 hours more. What `options` leave out
 * stays as it is.
 * @returns the token; it is not stored and cannot be shown again
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

/** Of each node that has DNS ports. */
export function countFreeDnsPorts(ctx: Ctx): Promise<store.FreeDnsPorts[]> {
  return store.countFreeDnsPorts(ctx);
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

export interface Login {
  runId: string;
  username: string;
  password: string;
}

/** Checks a first tunnel's credentials and opens the connection in this run. */
export async function authorize(
  ctx: Ctx,
  nodeId: string,
  { runId, username, password }: Login,
): Promise<Authorization> {
  const login = await findLogin(ctx, username, password);
  if (!login || !isServedBy(nodeId, login)) return { isAuthorized: false };
  await registerRun(ctx, runId, nodeId);
  const credit = await openInRun(ctx, login.connectionId, runId);
  // It ended between the two looks at it.
  if (!credit) return { isAuthorized: false };
  const [usedBytes, uploadedBytes] = [Number(credit.usedBytes), Number(credit.uploadedBytes)];
  return { isAuthorized: true, exit: login.exit, usedBytes, uploadedBytes, ...toCredit(credit) };
}

/** A connection from before exits belonged to nodes is served by every node. */
function isServedBy(nodeId: string, login: { nodeId: string | null }): boolean {
  return login.nodeId === null || login.nodeId === nodeId;
}

/** Takes the totals of a run, answers how far each connection may go on. */
export async function update(ctx: Ctx, nodeId: string, runId: string, usages: readonly Usage[]): Promise<Credit[]> {
  const run = await findOwnRun(ctx, runId, nodeId);
  const answers = await takeReports(ctx, runId, usages.map(toReport));
  // After the reports: who looks for idle connections believes that a run has told all. Each note is a commit of its own,
  // and gateways report several times a second: most need none.
  if (!run?.isFresh) await noteRun(ctx, runId, nodeId);
  return answers.map(toCredit);
}

/** Takes the last totals of a run on connections that it has closed. */
export async function end(
  ctx: Ctx,
  nodeId: string,
  runId: string,
  usages: readonly Omit<Usage, 'wantedBytes' | 'isExitLost'>[],
): Promise<{ acknowledged: string[] }> {
  await registerRun(ctx, runId, nodeId);
  const reports = usages.map((usage) => toReport({ ...usage, wantedBytes: 0, isExitLost: false }));
  if (reports.length > 0) await settleReports(ctx, runId, reports, 'close');
  return { acknowledged: usages.map((usage) => usage.connectionId) };
}

/**
 * Waits for connections of the run that are to end.
 * @returns which; none when the time is over, or when the call cannot be held
 */
export async function watch(ctx: Ctx, heldCalls: HeldCalls, nodeId: string, runId: string): Promise<string[]> {
  if (!(await findOwnRun(ctx, runId, nodeId))) return [];
  const ended = heldCalls.hold(runId, nodeId);
  // Held before the look, so that no end is between the two.
  const before = await findEnding(ctx, runId);
  if (before.length > 0) heldCalls.answer(runId, before);
  return ended;
}

/** Answers the calls that wait for one of these. */
export async function tellEnding(ctx: Ctx, heldCalls: HeldCalls, connectionIds: readonly string[]): Promise<void> {
  if (heldCalls.size === 0) return;
  const found = await findConnectionsOfRuns(ctx, connectionIds, heldCalls.runIds);
  const byRun = new Map<string, string[]>();
  for (const { runId, connectionId } of found) byRun.set(runId, [...(byRun.get(runId) ?? []), connectionId]);
  for (const [runId, ids] of byRun) heldCalls.answer(runId, ids);
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

function toCredit({ connectionId, grantedBytes, state }: CreditAnswer): Credit {
  return { connectionId, grantedBytes: Number(grantedBytes), state };
}
