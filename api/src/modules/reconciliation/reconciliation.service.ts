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
const REMEMBER_LIMIT_MS = 120_000;

/** Checks if it is time to; safe to call often and from several workers. */
export async function reconcileWhenDue(ctx: Ctx): Promise<void> {
  const claim = await store.claim(ctx, ctx.config.reconciliationMs);
  if (claim) await reconcile(ctx, claim);
}

async function reconcile(ctx: Ctx, { verified, verifiedWholeAt, settledUntil }: store.Claim): Promise<void> {
  const isWhole = verifiedWholeAt === null || settledUntil.getTime() - verifiedWholeAt.getTime() > WHOLE_INTERVAL_MS;
  const from = isWhole ? NOTHING_VERIFIED : verified;
  const startedAt = performance.now();
  // Before the snapshot, so that nothing between the two is taken for verified.
  const transferId = await ledger.findSettledTransfer(ctx);
  const violations = await audit(ctx, from);
  const durationMs = performance.now() - startedAt;
  await ctx.tx(
    async (ctx) => {
      const kept = violations.slice(0, VIOLATIONS_KEPT);
      await store.saveResult(ctx, { durationMs, violationCount: violations.length, violations: kept });
      // What is wrong stays in sight of every check until it has been put right.
      if (violations.length > 0) return;
      await ledger.rememberSums(ctx, from, transferId);
      await store.saveMark(ctx, { transferId, until: settledUntil }, isWhole);
    },
    { timeLimitMs: REMEMBER_LIMIT_MS },
  );
  // An operator must see this: it is the one alarm about money.
  if (violations.length > 0)
    ctx.log.fatal(
      { violations: violations.slice(0, VIOLATIONS_KEPT), count: violations.length },
      'the money does not add up',
    );
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
