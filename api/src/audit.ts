/** Does the money add up? Asked by the worker every few minutes, and by the fault scripts and tests after what they did. */
import type { Ctx } from './ctx.ts';
import { NOTHING_VERIFIED, type VerifiedMark } from './invariant.ts';
import { connectionInvariants } from './modules/connections/audit.store.ts';
import { paymentInvariants } from './modules/invoices/audit.store.ts';
import { ledgerInvariants } from './modules/ledger/audit.store.ts';

const invariants = [...ledgerInvariants, ...connectionInvariants, ...paymentInvariants];

/** A check of what is new takes a second or two; one that takes longer than this is a fault of its own. */
const TIME_LIMIT_MS = 120_000;
/** Ten million transfers take some minutes, most of it for the hashes of receipts. */
const WHOLE_TIME_LIMIT_MS = 1_800_000;

/** @returns what is wrong, as "rule: row"; empty when all is well */
export async function audit(ctx: Ctx, verified: VerifiedMark = NOTHING_VERIFIED): Promise<string[]> {
  const limitMs = verified === NOTHING_VERIFIED ? WHOLE_TIME_LIMIT_MS : TIME_LIMIT_MS;
  const deadline = performance.now() + limitMs;
  // One snapshot for all rules, so a running shop does not disturb them.
  const check = async (ctx: Ctx) => {
    await ctx.db.query('set transaction isolation level repeatable read, read only');
    const violations: string[] = [];
    for (const { rule, findBroken } of invariants) {
      const leftMs = Math.max(1, Math.ceil(deadline - performance.now()));
      await ctx.db.query(`select set_config('statement_timeout', $1, true)`, [String(leftMs)]);
      // One by one: there may be more of them than a call takes arguments.
      for (const row of await findBroken(ctx, verified)) violations.push(`${rule}: ${row}`);
    }
    return violations;
  };
  return ctx.tx(check, { timeLimitMs: limitMs });
}
