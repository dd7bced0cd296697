/** Whether what an address holds is explained by its deposits: the rule of the daily comparison for one address and currency. */
import type { Currency } from '@cellhop/contract/invoices.values';
import { descriptors } from '../../payments/chains/descriptors.ts';
import { currencyRules } from '../../payments/currencies.ts';

/** The result of one comparison, which the next one begins with. */
export interface KnownBalance {
  /** After this block. */
  height: number;
  balanceUnits: bigint;
  /** The sum of its deposits in blocks up to `height`, as they were known then. */
  depositUnits: bigint;
  /** The sum of what staff have settled by hand. */
  byHandUnits: bigint;
  unexplainedUnits: bigint;
  /** Undefined: before the first comparison, or nothing is unexplained. */
  unexplainedAfter: number | undefined;
}

export interface CurrentBalance {
  height: number;
  balanceUnits: bigint;
  /** The sum of its deposits in blocks up to the height of the previous comparison, as they are known now. */
  earlierDepositUnits: bigint;
  /** The same, after that height and up to the new one. */
  laterDepositUnits: bigint;
  byHandUnits: bigint;
  /** On chains that list unspent outputs: the sum of those after the previous height that are no deposits. Then nothing is inferred. */
  unknownUnits: bigint | undefined;
  /** What the sweeps that were sent have taken, in blocks after the previous height and up to the new one. */
  sweptUnits: bigint;
  /** How many such sweeps there were, of this currency or another one: each has paid a fee. */
  sweepCount: bigint;
}

/** How much the balance of a coin may fall by the fee of a sweep that was sent. */
export const sweepFeeUnitsOf = (currency: Currency): bigint => {
  const { chain, isStable } = currencyRules[currency];
  return (isStable ? undefined : descriptors[chain].sweep?.feeMaxUnits) ?? 0n;
};

/** How much the balance of a coin may fall by fees alone, without a sweep: of token sweeps, and on TON of the account's storage. */
export const feeUnitsOf = (currency: Currency): bigint =>
  currencyRules[currency].isStable ? 0n : currencyRules[currency].restAfterSweepUnits;

export interface ComparisonRules {
  /** `restAfterSweepUnits` of the currency. */
  restUnits: bigint;
  /** Of `feeUnitsOf`. */
  feeUnits: bigint;
  /** Of `sweepFeeUnitsOf`. */
  sweepFeeUnits: bigint;
  /** Of the comparison before; undefined at the first one. */
  previousHeight: number | undefined;
}

/**
 * Example: an address held 100 of deposits of 100 (`previous`), a sweep took all, and 40 arrived that no poll has seen: `now` holds 40. So 40
 * are unexplained, until a rescan finds the payment (140 of earlier deposits) or staff settle it (40 by hand).
 * @param previous undefined if there was nothing to remember
 */
export function compareBalance(
  previous: KnownBalance | undefined,
  now: CurrentBalance,
  { previousHeight, ...rules }: ComparisonRules,
): KnownBalance {
  const comparedHeight = previous?.height ?? previousHeight;
  const before = previous ?? NOTHING;
  // Payments that were missed and have been found since, by a rescan.
  const lateUnits = max(0n, now.earlierDepositUnits - before.depositUnits);
  const settledUnits = max(0n, now.byHandUnits - before.byHandUnits);
  const arrivedUnits =
    now.unknownUnits ?? inferArrived(before, now, lateUnits, comparedHeight === undefined ? undefined : rules);
  const unexplainedUnits = max(0n, before.unexplainedUnits + arrivedUnits - lateUnits - settledUnits);
  const unexplainedAfter = before.unexplainedUnits > 0n ? before.unexplainedAfter : comparedHeight;
  return {
    height: now.height,
    balanceUnits: now.balanceUnits,
    depositUnits: now.earlierDepositUnits + now.laterDepositUnits,
    byHandUnits: now.byHandUnits,
    unexplainedUnits,
    unexplainedAfter: unexplainedUnits > 0n ? unexplainedAfter : undefined,
  };
}

const NOTHING = {
  balanceUnits: 0n,
  depositUnits: 0n,
  byHandUnits: 0n,
  unexplainedUnits: 0n,
  unexplainedAfter: undefined,
};

/**
 * The least that must have arrived since then, apart from deposits.
 * @param rules undefined at the first comparison: the sweep of another wallet may have been before the last deposits
 */
function inferArrived(
  before: Pick<KnownBalance, 'balanceUnits' | 'depositUnits'>,
  now: CurrentBalance,
  lateUnits: bigint,
  rules: Omit<ComparisonRules, 'previousHeight'> | undefined,
): bigint {
  const depositUnits = now.earlierDepositUnits + now.laterDepositUnits;
  const riseUnits =
    now.balanceUnits + now.sweptUnits - before.balanceUnits - (depositUnits - before.depositUnits) + lateUnits;
  if (!rules || riseUnits >= -(rules.feeUnits + now.sweepCount * rules.sweepFeeUnits)) return max(0n, riseUnits);
  // It was swept by another wallet, whose amount is not known, and a sweep takes everything: what it holds now has arrived after it.
  const afterSweepUnits = now.balanceUnits - now.laterDepositUnits;
  return afterSweepUnits > rules.restUnits ? afterSweepUnits : 0n;
}

const max = (a: bigint, b: bigint) => (a > b ? a : b);
