/** Does the money add up? Asked by the worker every few minutes, and by the fault scripts and tests after what they did. */
import type { Ctx } from './ctx.ts';
import { NOTHING_VERIFIED, type AuditRun, type VerifiedMark } from './invariant.ts';
import { connectionInvariants } from './modules/billing/audit.store.ts';
import { paymentInvariants } from './modules/invoices/audit.store.ts';
import { ledgerInvariants } from './modules/ledger/audit.store.ts';

const invariants = [...ledgerInvariants, ...connectionInvariants, ...paymentInvariants];

/** A check of what is new takes a second or two; one that takes longer than this is a fault of its own. */
const TIME_LIMIT_MS = 300_000;
/** Ten million transfers take some minutes, most of it for the hashes of receipts. No statement of it takes long. */
const WHOLE_TIME_LIMIT_MS = 7_200_000;

/**
 * @param keepGoing called before each statement; rejects when the result is no longer wanted
 * @returns what is wrong, as "rule: row"; empty when all is well
 */
export async function audit(
  ctx: Ctx,
  verified: VerifiedMark = NOTHING_VERIFIED,
  keepGoing: () => Promise<void> = async () => {},
): Promise<string[]> {
  const run = createAuditRun(verified, keepGoing);
  const violations: string[] = [];
  for (const { rule, findBroken } of invariants)
    for (const row of await findBroken(ctx, run)) violations.push(`${rule}: ${row}`);
  return violations;
}

function createAuditRun(verified: VerifiedMark, keepGoing: () => Promise<void>): AuditRun {
  const isWhole = verified === NOTHING_VERIFIED;
  const limitMs = isWhole ? WHOLE_TIME_LIMIT_MS : TIME_LIMIT_MS;
  const deadline = performance.now() + limitMs;
  return {
    verified,
    isWhole,
    async step() {
      if (performance.now() > deadline) throw new Error(`the audit took longer than ${limitMs / 1000} s`);
      await keepGoing();
    },
  };
}
