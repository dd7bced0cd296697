/** Checks all invariants periodically, and stores the result and the verified mark. */
import type { Reconciliation } from '@cellhop/contract/transactions';
import { toDollars } from '@cellhop/contract/units';
import { checkInvariants } from '../../db/check-invariants.ts';
import type { Ctx } from '../../ctx.ts';
import { NOTHING_VERIFIED } from '../../db/invariant.ts';
import * as ledger from '../ledger/ledger.service.ts';
import * as store from './reconciliation.store.ts';

/** A full check once a day verifies everything from the first transfer on, without relying on the stored mark. */
const FULL_CHECK_INTERVAL_MS = 86_400_000;
const VIOLATIONS_KEPT = 100;

/** After this time without renewal another worker takes the check over. */
const LEASE_MS = 60_000;
const RENEWAL_MS = 10_000;

/** Runs the check if it is due and no other worker runs it. Safe to call often and from several workers. */
export async function reconcileWhenDue(ctx: Ctx): Promise<void> {
  const lease = await store.acquireLease(ctx, ctx.config.reconciliationMs, LEASE_MS);
  if (!lease) return;
  try {
    await reconcile(ctx, lease);
  } finally {
    await store.releaseLease(ctx, lease.leaseId);
  }
}

async function reconcile(ctx: Ctx, { leaseId, verified, fullyVerifiedAt, settledUntil }: store.Lease): Promise<void> {
  const isFull =
    fullyVerifiedAt === null || settledUntil.getTime() - fullyVerifiedAt.getTime() > FULL_CHECK_INTERVAL_MS;
  const from = isFull ? NOTHING_VERIFIED : verified;
  const startedAt = performance.now();
  // Read before the first statement, so that later transfers do not count as verified.
  const transferId = await ledger.findSettledTransfer(ctx);
  const violations = await checkInvariants(ctx, from, createLeaseRenewal(ctx, leaseId));
  const durationMs = performance.now() - startedAt;
  await ctx.tx(async (ctx) => {
    const kept = violations.slice(0, VIOLATIONS_KEPT);
    const result = { durationMs, violationCount: violations.length, violations: kept };
    if (!(await store.saveResult(ctx, leaseId, result))) throw new Error(LEASE_LOST);
    // The mark only moves if there are no violations, so every check reports them until they are fixed.
    if (violations.length === 0) await store.saveMark(ctx, { transferId, until: settledUntil }, isFull);
  });
  // The alarm for the operator.
  if (violations.length > 0)
    ctx.log.fatal(
      { violations: violations.slice(0, VIOLATIONS_KEPT), count: violations.length },
      'the money does not add up',
    );
}

const LEASE_LOST = 'another worker has taken this check over, because the lease was not renewed';

/** @returns a function that renews the lease when needed, and rejects if another worker has it */
function createLeaseRenewal(ctx: Ctx, leaseId: string): () => Promise<void> {
  let renewedAt = performance.now();
  return async () => {
    if (performance.now() - renewedAt < RENEWAL_MS) return;
    if (!(await store.renewLease(ctx, leaseId, LEASE_MS))) throw new Error(LEASE_LOST);
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

/** For the metrics. Results of a check are undefined before the first one. */
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
