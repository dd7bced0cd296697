/**
 * What needs attention: the first row of the dashboard and the badges of the menu. Every open page of staff requests it, so each part is
 * counted by an index and only up to a limit.
 */
import { ATTENTION_COUNTED_MAX, LATE_MAIL_SECONDS } from '@cellhop/contract/limits';
import { type Attention, type AttentionPart, attentionParts } from '@cellhop/contract/staff/dashboard';
import type { Ctx } from '../../ctx.ts';
import type { Actor } from '../../http/actor.ts';
import { countFailed, mailAgeSeconds } from '../../jobs/jobs.ts';
import { countForApprover } from '../approvals/approvers.service.ts';
import { countSpent } from '../budgets/budgets.service.ts';
import { listTroubled } from '../invoices/chain-overview.service.ts';
import { readRestore } from '../invoices/witness.service.ts';
import { countSuspended } from '../invoices/suspended-payments.service.ts';
import { findUnreadableFiles } from '../proxies/place-files.service.ts';
import { showReconciliation } from '../reconciliation/reconciliation.service.ts';
import { readMachine } from '../system/machine.service.ts';
import { readWaiting } from '../tickets/staff-tickets.service.ts';
import * as store from './dashboard.store.ts';

/** Parts that the role may not read are null. */
export async function readAttention(ctx: Ctx, actor: Pick<Actor, 'userId' | 'permissions'>): Promise<Attention> {
  const ifAllowed = async <T>(part: AttentionPart, read: () => Promise<T>) =>
    attentionParts[part].some((permission) => actor.permissions.has(permission)) ? read() : null;
  // One after another: each open page of staff asks, and must not take many connections to the database at once.
  const approvals = await countForApprover(ctx, actor);
  return {
    approvals: { waiting: approvals.count, list: approvals.list },
    tickets: await ifAllowed('tickets', () => readWaiting(ctx, ATTENTION_COUNTED_MAX)),
    heldPayments: await ifAllowed('heldPayments', () => countSuspended(ctx, ATTENTION_COUNTED_MAX)),
    unhealthyProxies: await ifAllowed('unhealthyProxies', async () => (await store.countTroubled(ctx)).unhealthy),
    proxiesElsewhere: await ifAllowed('proxiesElsewhere', async () => (await store.countTroubled(ctx)).elsewhere),
    unreadableFiles: await ifAllowed('unreadableFiles', () => findUnreadableFiles(ctx)),
    silentNodes: await ifAllowed('silentNodes', async () => (await store.countNodes(ctx)).silent),
    failingNodes: await ifAllowed('failingNodes', () => store.listFailingNodes(ctx, ATTENTION_COUNTED_MAX)),
    endingCertificates: await ifAllowed('endingCertificates', () =>
      store.listEndingCertificates(ctx, ATTENTION_COUNTED_MAX),
    ),
    spentBudgets: await ifAllowed('spentBudgets', () => countSpent(ctx)),
    troubledChains: await ifAllowed('troubledChains', () => listTroubled(ctx)),
    failedJobs: await ifAllowed('failedJobs', () => countFailed(ctx, ATTENTION_COUNTED_MAX)),
    mails: await ifAllowed('mails', () => readLateMails(ctx)),
    machine: await ifAllowed('machine', () => readMachine(ctx)),
    restore: await ifAllowed('restore', () => readRestore(ctx)),
    moneyCheck: await ifAllowed('moneyCheck', () => readMoneyCheck(ctx)),
  };
}

async function readLateMails(ctx: Ctx): Promise<Attention['mails']> {
  const seconds = await mailAgeSeconds(ctx);
  return { lateSince: seconds < LATE_MAIL_SECONDS ? null : new Date(Date.now() - seconds * 1000).toISOString() };
}

async function readMoneyCheck(ctx: Ctx): Promise<Attention['moneyCheck']> {
  const { status, violationCount } = await showReconciliation(ctx);
  return { isBroken: status === 'BROKEN', violationCount };
}
