/** Checks that the money adds up. The worker runs it every few minutes, fault scripts and tests run it at their end. */
import type { Ctx } from '../ctx.ts';
import { NOTHING_VERIFIED, type InvariantCheck, type VerifiedMark } from './invariant.ts';
import { requestInvariants } from '../modules/approvals/invariants.store.ts';
import { connectionInvariants } from '../modules/billing/invariants.store.ts';
import { dashboardInvariants } from '../modules/dashboard/invariants.store.ts';
import { paymentInvariants } from '../modules/invoices/invariants.store.ts';
import { ledgerInvariants } from '../modules/ledger/invariants.store.ts';

const invariants = [
  ...ledgerInvariants,
  ...connectionInvariants,
  ...paymentInvariants,
  ...requestInvariants,
  ...dashboardInvariants,
];

/** An incremental check takes a second or two. */
const TIME_LIMIT_MS = 300_000;
/** Ten million transfers take some minutes, most of it for the hashes of receipts. */
const FULL_TIME_LIMIT_MS = 7_200_000;

/**
 * @param keepGoing called before each statement; rejects to cancel the check
 * @returns violations as "rule: row"; empty if there are none
 */
export async function checkInvariants(
  ctx: Ctx,
  verified: VerifiedMark = NOTHING_VERIFIED,
  keepGoing: () => Promise<void> = async () => {},
): Promise<string[]> {
  const check = startCheck(verified, keepGoing);
  const violations: string[] = [];
  for (const { rule, findBroken } of invariants)
    for (const row of await findBroken(ctx, check)) violations.push(`${rule}: ${row}`);
  return violations;
}

function startCheck(verified: VerifiedMark, keepGoing: () => Promise<void>): InvariantCheck {
  const isFull = verified === NOTHING_VERIFIED;
  const limitMs = isFull ? FULL_TIME_LIMIT_MS : TIME_LIMIT_MS;
  const deadline = performance.now() + limitMs;
  return {
    verified,
    isFull,
    async step() {
      if (performance.now() > deadline) throw new Error(`the invariant check took longer than ${limitMs / 1000} s`);
      await keepGoing();
    },
  };
}
