/** Checks that all money adds up, remembers the result and how far everything has been verified. */
import type { Reconciliation } from '@cellhop/contract/transactions';
import { toDollars } from '@cellhop/contract/units';
import { audit } from '../../audit.ts';
import type { Ctx } from '../../ctx.ts';
import { NOTHING_VERIFIED } from '../../invariant.ts';
import * as ledger from '../ledger/ledger.service.ts';
import * as store from './reconciliation.store.ts';

/** Once a day everything is looked at from the first transfer on: nobody should have to trust what was remembered. */
const WHOLE_INTERVAL_MS = 86_400_000;
const VIOLATIONS_KEPT = 100;

/** A worker that says nothing for so long has died or lost the database: another one may check. */
const LEASE_MS = 60_000;
const RENEWAL_MS = 10_000;

/** Checks if it is time to and nobody else does; safe to call often and from several workers. */
export async function reconcileWhenDue(ctx: Ctx): Promise<void> {
  const claim = await store.claim(ctx, ctx.config.reconciliationMs, LEASE_MS);
  if (!claim) return;
  try {
    await reconcile(ctx, claim);
  } finally {
    await store.giveBack(ctx, claim.leaseId);
  }
}

async function reconcile(ctx: Ctx, { leaseId, verified, verifiedWholeAt, settledUntil }: store.Claim): Promise<void> {
  const isWhole = verifiedWholeAt === null || settledUntil.getTime() - verifiedWholeAt.getTime() > WHOLE_INTERVAL_MS;
  const from = isWhole ? NOTHING_VERIFIED : verified;
  const startedAt = performance.now();
  // Before the first statement, so that nothing between the two is taken for verified.
  const transferId = await ledger.findSettledTransfer(ctx);
  const violations = await audit(ctx, from, keepLease(ctx, leaseId));
  const durationMs = performance.now() - startedAt;
  await ctx.tx(async (ctx) => {
    const kept = violations.slice(0, VIOLATIONS_KEPT);
    const result = { durationMs, violationCount: violations.length, violations: kept };
    if (!(await store.saveResult(ctx, leaseId, result))) throw new Error(LEASE_LOST);
    // What is wrong stays in sight of every check until it has been put right.
    if (violations.length === 0) await store.saveMark(ctx, { transferId, until: settledUntil }, isWhole);
  });
  // An operator must see this: it is the one alarm about money.
  if (violations.length > 0)
    ctx.log.fatal(
      { violations: violations.slice(0, VIOLATIONS_KEPT), count: violations.length },
      'the money does not add up',
    );
}

const LEASE_LOST = 'another worker has taken this audit over, because nothing was heard from this one';

/** @returns renews the lease, not more often than it needs, and rejects when another worker has it */
function keepLease(ctx: Ctx, leaseId: string): () => Promise<void> {
  let renewedAt = performance.now();
  return async () => {
    if (performance.now() - renewedAt < RENEWAL_MS) return;
    if (!(await store.renew(ctx, leaseId, LEASE_MS))) throw new Error(LEASE_LOST);
    renewedAt = performance.now();
  };
}

export async function showReconciliation(ctx: Ctx): Promise<Reconciliation> {
  const { checkedAt, durationMs, violations, violationCount } = await store.readResult(ctx);
  const checkedStatus = violationCount > 0 ? 'BROKEN' : 'OK';
  return {
    status: checkedAt === null ? 'NEVER_RUN' : checkedStatus,
    checkedAt: checkedAt?.toISOString() ?? null,
    durationMs,
    violations,
    violationCount,
  };
}

/** For the metrics of the API; what comes of a check is undefined before the first one. */
export async function readFigures(ctx: Ctx) {
  const [money, result] = await Promise.all([
    store.readMoney(ctx, ledger.FIRST_CUSTOMER_ACCOUNT),
    store.readResult(ctx),
  ]);
  return {
    customerDollars: toDollars(money.customerMicros),
    heldDollars: toDollars(money.heldMicros),
    openConnections: money.openConnections,
    violationCount: result.checkedAt === null ? undefined : result.violationCount,
    reconciliationAgeSeconds: result.ageSeconds ?? undefined,
  };
}
