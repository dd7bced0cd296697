import { describe, expect, test } from 'vitest';
import { compareBalance, type KnownBalance, type CurrentBalance } from './known-balance.ts';

const REST = 1n;
const FEE = 3n;
const SWEEP_FEE = 5n;
/** Compared at block 100: 500 deposited, and still there. */
const paid: KnownBalance = {
  height: 100,
  balanceUnits: 500n,
  depositUnits: 500n,
  byHandUnits: 0n,
  unexplainedUnits: 0n,
  unexplainedAfter: undefined,
};
const swept = { ...paid, balanceUnits: 0n };
const missed = { ...swept, balanceUnits: 50n, unexplainedUnits: 50n, unexplainedAfter: 100 };
const now = (changes: Partial<CurrentBalance>): CurrentBalance => ({
  height: 200,
  balanceUnits: 0n,
  earlierDepositUnits: 500n,
  laterDepositUnits: 0n,
  byHandUnits: 0n,
  unknownUnits: undefined,
  sweptUnits: 0n,
  sweepCount: 0n,
  ...changes,
});
const later = (previous: KnownBalance | undefined, changes: Partial<CurrentBalance>) => {
  const previousHeight = previous?.height;
  const { unexplainedUnits, unexplainedAfter } = compareBalance(previous, now(changes), {
    restUnits: REST,
    feeUnits: FEE,
    sweepFeeUnits: SWEEP_FEE,
    previousHeight,
  });
  return [unexplainedUnits, unexplainedAfter];
};

describe('an address', () => {
  test.each([
    ['holds what was deposited', paid, { balanceUnits: 500n }],
    ['was swept', paid, {}],
    ['was swept but for a rest', paid, { balanceUnits: 1n }],
    ['paid a fee', paid, { balanceUnits: 497n }],
    ['paid a fee and got a deposit', paid, { balanceUnits: 569n, laterDepositUnits: 70n }],
    ['got a deposit', paid, { balanceUnits: 570n, laterDepositUnits: 70n }],
    ['was swept and then got a deposit', paid, { balanceUnits: 70n, laterDepositUnits: 70n }],
    ['got a deposit and then was swept', paid, { laterDepositUnits: 70n }],
    ['lost a deposit that has left its chain', paid, { earlierDepositUnits: 0n }],
    ['was swept by a sweep that was sent, which paid its fee', paid, { sweptUnits: 495n, sweepCount: 1n }],
    ['paid the fee of a sweep of USDT', paid, { balanceUnits: 493n, sweepCount: 1n }],
    ['was swept by a sweep that was sent, then by another wallet', paid, { sweptUnits: 100n, sweepCount: 1n }],
    [
      'was never compared, and swept before',
      undefined,
      { balanceUnits: 20n, earlierDepositUnits: 0n, laterDepositUnits: 500n },
    ],
  ])('that %s has nothing unexplained', (_title, previous, changes) => {
    expect(later(previous, changes)).toEqual([0n, undefined]);
  });

  test.each([
    ['a payment', paid, { balanceUnits: 550n }, 100],
    ['a payment after a sweep', swept, { balanceUnits: 50n }, 100],
    ['a sweep and then a payment', paid, { balanceUnits: 50n }, 100],
    ['a deposit, a sweep and a payment', paid, { balanceUnits: 120n, laterDepositUnits: 70n }, 100],
    ['a payment that was sent away with the rest', paid, { sweptUnits: 550n, sweepCount: 1n }, 100],
    ['a sweep that was sent and then a payment', paid, { balanceUnits: 50n, sweptUnits: 500n, sweepCount: 1n }, 100],
    [
      'a payment that was sent away before the first comparison',
      undefined,
      { sweptUnits: 550n, sweepCount: 1n, earlierDepositUnits: 0n, laterDepositUnits: 500n },
      undefined,
    ],
    ['nothing since, but a payment before', missed, { balanceUnits: 50n }, 100],
    ['a sweep of a payment that nothing explains', missed, {}, 100],
    [
      'a payment before the first comparison',
      undefined,
      { balanceUnits: 550n, earlierDepositUnits: 0n, laterDepositUnits: 500n },
      undefined,
    ],
  ])('that got %s has 50 that nothing explains', (_title, previous, changes, after) => {
    expect(later(previous, changes)).toEqual([50n, after]);
  });

  test('whose payment was settled by hand has nothing unexplained, then and later', () => {
    expect(later(missed, { balanceUnits: 50n, byHandUnits: 50n })).toEqual([0n, undefined]);
    // The payer asked before the comparison.
    const settled = compareBalance(swept, now({ balanceUnits: 50n, byHandUnits: 50n }), {
      restUnits: REST,
      feeUnits: FEE,
      sweepFeeUnits: SWEEP_FEE,
      previousHeight: 100,
    });
    expect(settled.unexplainedUnits).toBe(0n);
    expect(later(settled, { height: 300, balanceUnits: 50n, byHandUnits: 50n })).toEqual([0n, undefined]);
    expect(later(settled, { height: 300, balanceUnits: 110n, byHandUnits: 50n })).toEqual([60n, 200]);
  });

  test('whose missed payment was found by a rescan has nothing unexplained', () => {
    expect(later(missed, { balanceUnits: 50n, earlierDepositUnits: 550n })).toEqual([0n, undefined]);
    expect(later(missed, { earlierDepositUnits: 550n })).toEqual([0n, undefined]);
  });

  test('with unspent outputs has what is no deposit, also after sweeps', () => {
    expect(later(paid, { balanceUnits: 0n, unknownUnits: 0n })).toEqual([0n, undefined]);
    expect(later(paid, { balanceUnits: 20n, laterDepositUnits: 60n, unknownUnits: 20n })).toEqual([20n, 100]);
  });
});
