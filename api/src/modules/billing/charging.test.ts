import { startedMegabytes, megabytesToBytes } from '@cellhop/contract/units';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  closeRun,
  finalBill,
  heldMicros,
  openRun,
  chargeReport,
  type Meter,
  type Report,
  type Run,
} from './charging.ts';
import { scaled } from '../../../../tools/test-scale.ts';

const MB = megabytesToBytes(1n);
const PRICE = 8000n;

function bought(capMegabytes: bigint | null = null): { meter: Meter; run: Run } {
  const meter = {
    usedBytes: 0n,
    uploadedBytes: 0n,
    grantedBytes: 0n,
    chargedMegabytes: 50n,
    megabytePriceMicros: PRICE,
    capMegabytes,
  };
  return { meter, run: openRun(undefined) };
}

function reported(usedBytes: bigint, wantedBytes: bigint, uploadedBytes = 0n): Report {
  return { usedBytes, uploadedBytes, wantedBytes };
}

/** A run that was opened and granted the prepaid megabytes. */
function opened(freeMicros = 0n, capMegabytes: bigint | null = null) {
  const { meter, run } = bought(capMegabytes);
  return chargeReport(meter, run, reported(0n, 1n), freeMicros);
}

describe('chargeReport', () => {
  test('grants all of the prepaid 50 MB to the first run and holds nothing', () => {
    const { run, holdChangeMicros, state, charge } = opened(1_000_000n);
    expect(run.grantedBytes).toBe(50n * MB);
    expect(holdChangeMicros).toBe(0n);
    expect(state).toBe('open');
    expect(charge).toEqual({ from: 50n, to: 50n });
  });

  test('charges nothing for the first 50 MB', () => {
    const { meter, run } = opened();
    const result = chargeReport(meter, run, reported(50n * MB, 0n), 0n);
    expect(result.charge).toEqual({ from: 50n, to: 50n });
  });

  test('holds the 51st megabyte when it is granted and charges it with its first byte', () => {
    const { meter, run } = opened();
    const granted = chargeReport(meter, run, reported(50n * MB, 1n), 3n * PRICE);
    expect(granted.run.grantedBytes).toBe(51n * MB);
    expect(granted.holdChangeMicros).toBe(PRICE);
    expect(granted.charge.to).toBe(50n);

    const begun = chargeReport(granted.meter, granted.run, reported(50n * MB + 1n, 0n), 2n * PRICE);
    expect(begun.charge).toEqual({ from: 50n, to: 51n });
    expect(begun.holdChangeMicros).toBe(-PRICE);
  });

  test('charges the same megabyte once, however often or late it is reported', () => {
    const { meter, run } = opened();
    const granted = chargeReport(meter, run, reported(50n * MB, 1n), 3n * PRICE);
    const begun = chargeReport(granted.meter, granted.run, reported(50n * MB + 1n, 0n), 2n * PRICE);
    for (const usedBytes of [50n * MB + 1n, 50n * MB, 0n]) {
      const again = chargeReport(begun.meter, begun.run, reported(usedBytes, 0n), 2n * PRICE);
      expect(again).toMatchObject({ meter: begun.meter, run: begun.run, holdChangeMicros: 0n });
    }
  });

  test('returns final when the free balance is below the price of a megabyte, and out of money at the last paid byte', () => {
    const { meter, run } = opened(PRICE - 1n);
    const last = chargeReport(meter, run, reported(49n * MB, 2n * MB), PRICE - 1n);
    expect(last.state).toBe('final');
    expect(last.isOutOfMoney).toBe(false);
    const out = chargeReport(last.meter, last.run, reported(50n * MB, 0n), PRICE - 1n);
    expect(out.isOutOfMoney).toBe(true);
  });

  test('a top-up in time changes final back to open', () => {
    const { meter, run } = opened();
    const last = chargeReport(meter, run, reported(49n * MB, 2n * MB), 0n);
    const again = chargeReport(last.meter, last.run, reported(49n * MB, 2n * MB), 10n * PRICE);
    expect(again.state).toBe('open');
    expect(again.run.grantedBytes).toBe(51n * MB);
  });

  test('one grant takes at most half of the free balance', () => {
    const { meter, run } = opened();
    const result = chargeReport(meter, run, reported(50n * MB, 64n * MB), 20n * PRICE);
    expect(result.holdChangeMicros).toBe(10n * PRICE);
    expect(result.state).toBe('open');
  });

  test('never counts more than was granted', () => {
    const { meter, run } = opened();
    const result = chargeReport(meter, run, reported(80n * MB, 0n), 100n * PRICE);
    expect(result.run.usedBytes).toBe(50n * MB);
    expect(result.charge.to).toBe(50n);
  });

  test('uploaded bytes are part of the counted bytes, and neither direction ever shrinks', () => {
    const { meter, run } = opened();
    const first = chargeReport(meter, run, reported(10n * MB, 0n, 4n * MB), 0n);
    expect(first.meter.uploadedBytes).toBe(4n * MB);
    const late = chargeReport(first.meter, first.run, reported(9n * MB, 0n, 3n * MB), 0n);
    expect(late.run).toEqual(first.run);
    // 80 MB are claimed, 40 more of them were granted: earlier downloads stay downloads.
    const tooMuch = chargeReport(first.meter, first.run, reported(80n * MB, 0n, 70n * MB), 0n);
    expect(tooMuch.run).toMatchObject({ usedBytes: 50n * MB, uploadedBytes: 44n * MB });
    expect(tooMuch.meter.uploadedBytes).toBe(44n * MB);
  });

  test('a second run is granted what the first one left unused', () => {
    const { meter, run } = opened();
    const used = chargeReport(meter, run, reported(3n * MB, 0n), 0n);
    const closed = closeRun(used.meter, used.run);
    const next = chargeReport(closed.meter, openRun(undefined), reported(0n, 1n), 0n);
    expect(next.run.grantedBytes).toBe(47n * MB);
  });

  test('a reopened run continues from its last total', () => {
    const { meter, run } = opened();
    const used = chargeReport(meter, run, reported(3n * MB, 0n, MB), 0n);
    const closed = closeRun(used.meter, used.run);
    const again = chargeReport(closed.meter, openRun(closed.run), reported(0n, 1n), 0n);
    expect(again.run).toMatchObject({ usedBytes: 3n * MB, uploadedBytes: MB, grantedBytes: 50n * MB, isOpen: true });
  });

  test('a late report of a closed run is charged to the free balance, and the rest is written off', () => {
    const { meter, run } = opened();
    const granted = chargeReport(meter, run, reported(50n * MB, 4n * MB), 100n * PRICE);
    const closed = closeRun(granted.meter, granted.run);
    expect(closed.holdChangeMicros).toBe(-4n * PRICE);
    const late = chargeReport(closed.meter, closed.run, reported(53n * MB, 0n), 2n * PRICE);
    expect(late.charge).toEqual({ from: 50n, to: 52n });
    expect(late.holdChangeMicros).toBe(0n);
    expect(late.writtenOffBytes).toBe(MB);
    expect(late.state).toBe('ended');
  });
});

describe('a cap', () => {
  test('below the prepaid megabytes is granted to the byte, and is final', () => {
    const { run, state, finalReason, isAtCap } = opened(100n * PRICE, 20n);
    expect(run.grantedBytes).toBe(20n * MB);
    expect({ state, finalReason, isAtCap }).toEqual({ state: 'final', finalReason: 'CAP', isAtCap: false });
  });

  test('above them is granted and held up to it, not beyond', () => {
    const { meter, run } = opened(100n * PRICE, 53n);
    const granted = chargeReport(meter, run, reported(50n * MB, 64n * MB), 100n * PRICE);
    expect(granted.run.grantedBytes).toBe(53n * MB);
    expect(granted.holdChangeMicros).toBe(3n * PRICE);
    expect(granted.finalReason).toBe('CAP');
    const used = chargeReport(granted.meter, granted.run, reported(53n * MB, 64n * MB), 97n * PRICE);
    expect(used).toMatchObject({ isAtCap: true, isOutOfMoney: false, holdChangeMicros: -3n * PRICE });
    expect(used.run.grantedBytes).toBe(53n * MB);
  });

  test('that is raised in time keeps the connection open', () => {
    const { meter, run } = opened(100n * PRICE, 20n);
    const again = chargeReport({ ...meter, capMegabytes: 30n }, run, reported(20n * MB - 1n, MB), 100n * PRICE);
    expect(again.run.grantedBytes).toBe(30n * MB);
    expect(again.isAtCap).toBe(false);
  });

  test('below the grant leaves the grant unchanged, and adds nothing', () => {
    const { meter, run } = opened(100n * PRICE);
    const lowered = chargeReport({ ...meter, capMegabytes: 20n }, run, reported(10n * MB, 64n * MB), 100n * PRICE);
    expect(lowered.run.grantedBytes).toBe(50n * MB);
    expect(lowered).toMatchObject({ state: 'final', finalReason: 'CAP', holdChangeMicros: 0n });
  });

  test('limits the charge of a late report of a closed run', () => {
    const { meter, run } = opened(100n * PRICE);
    const granted = chargeReport(meter, run, reported(50n * MB, 4n * MB), 100n * PRICE);
    const closed = closeRun({ ...granted.meter, capMegabytes: 51n }, granted.run);
    const late = chargeReport(closed.meter, closed.run, reported(53n * MB, 0n), 100n * PRICE);
    expect(late.charge).toEqual({ from: 50n, to: 51n });
    expect(late.writtenOffBytes).toBe(2n * MB);
  });

  test('is not the reason if the balance is used up first', () => {
    const { meter, run } = opened(0n, 60n);
    expect(chargeReport(meter, run, reported(49n * MB, 2n * MB), 0n).finalReason).toBe('NO_MONEY');
  });
});

describe('finalBill', () => {
  // Used bytes -> refund in megabytes, within the refund window.
  test.each([
    [0n, 50n],
    [1n, 49n],
    [MB, 49n],
    [MB + 1n, 48n],
    [49n * MB, 1n],
    [49n * MB + 1n, 0n],
    [50n * MB, 0n],
  ])('%s used bytes refund %s megabytes', (usedBytes, refundMegabytes) => {
    const { meter } = bought();
    const bill = finalBill({ ...meter, usedBytes, grantedBytes: usedBytes }, true);
    expect(bill.refundMicros).toBe(refundMegabytes * PRICE);
    expect(bill.revenueMicros).toBe((50n - refundMegabytes) * PRICE);
  });

  test('nothing is refunded after the window, nor once the prepaid megabytes are used up', () => {
    const { meter } = bought();
    expect(finalBill(meter, false)).toMatchObject({ refundMicros: 0n, chargedMegabytes: 50n });
    const beyond = { ...meter, usedBytes: 60n * MB, grantedBytes: 60n * MB, chargedMegabytes: 60n };
    expect(finalBill(beyond, true)).toMatchObject({ refundMicros: 0n, chargedMegabytes: 60n });
  });
});

/**
 * Two runs of two connections of one payer report, close, fall silent, reopen, repeat and arrive late, in any order. The model
 * tracks only the payer's money and checks the invariants after every step.
 */
describe('in any order of events', () => {
  const event = fc.record({
    connection: fc.nat(1),
    run: fc.nat(1),
    kind: fc.constantFrom('report', 'report', 'report', 'close', 'lose', 'open', 'topUp'),
    // Percent of the unused grant: above 100 the report claims too much, below 0 it is late.
    progressPercent: fc.integer({ min: -50, max: 120 }),
    // Percent of the reported bytes; more than 100 is invalid and must have no effect.
    uploadedPercent: fc.integer({ min: 0, max: 130 }),
    wantedBytes: fc.bigInt({ min: 0n, max: 64n * MB }),
  });

  test(
    'every used byte is paid or held and below the cap, the balance never becomes negative, every started megabyte is charged once',
    { tags: ['long'] },
    () => {
      fc.assert(
        fc.property(
          fc.array(event, { maxLength: 80, size: 'max' }),
          fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 5n * PRICE }), fc.bigInt({ min: 0n, max: 200n * PRICE })),
          fc.option(fc.bigInt({ min: 1n, max: 150n })),
          (events, startMicros, capMegabytes) => {
            let balanceMicros = startMicros;
            const connections = [0, 1].map(() => ({
              meter: bought(capMegabytes).meter,
              runs: [undefined, undefined] as (Run | undefined)[],
            }));
            const held = () => connections.reduce((sum, { meter }) => sum + heldMicros(meter), 0n);
            for (const { connection, run: index, kind, progressPercent, uploadedPercent, wantedBytes } of events) {
              const target = connections[connection]!;
              if (kind === 'topUp') balanceMicros += PRICE;
              if (kind === 'open') target.runs[index] = openRun(target.runs[index]);
              const run = target.runs[index];
              if (!run || kind === 'topUp') continue;

              const before = held();
              const progress = ((run.grantedBytes - run.usedBytes) * BigInt(progressPercent)) / 100n;
              const isLast = kind === 'close' || kind === 'lose';
              const report = {
                usedBytes: run.usedBytes + progress,
                uploadedBytes: run.uploadedBytes + (progress * BigInt(uploadedPercent)) / 100n,
                wantedBytes: isLast ? 0n : wantedBytes,
              };
              const downloadedBytes = target.meter.usedBytes - target.meter.uploadedBytes;
              const result = chargeReport(target.meter, run, report, balanceMicros - before);
              const after = isLast ? closeRun(result.meter, result.run) : { ...result, holdChangeMicros: 0n };
              balanceMicros -= (result.charge.to - result.charge.from) * PRICE;
              Object.assign(target, { meter: after.meter });
              target.runs[index] = { ...after.run, isLost: kind === 'lose' };

              expect(held() - before).toBe(result.holdChangeMicros + after.holdChangeMicros);
              expect(balanceMicros).toBeGreaterThanOrEqual(held());
              expect(target.meter.usedBytes - target.meter.uploadedBytes).toBeGreaterThanOrEqual(downloadedBytes);
              for (const { meter, runs } of connections) {
                const live = runs.filter((each) => each !== undefined);
                expect(meter.usedBytes).toBe(live.reduce((sum, each) => sum + each.usedBytes, 0n));
                expect(meter.uploadedBytes).toBe(live.reduce((sum, each) => sum + each.uploadedBytes, 0n));
                expect(meter.grantedBytes).toBe(
                  live.reduce((sum, each) => sum + (each.isOpen ? each.grantedBytes : each.usedBytes), 0n),
                );
                const begun = startedMegabytes(meter.usedBytes);
                expect(meter.chargedMegabytes).toBe(begun > 50n ? begun : 50n);
                expect(meter.usedBytes).toBeLessThanOrEqual(meter.grantedBytes);
                expect(meter.grantedBytes).toBeLessThanOrEqual((capMegabytes ?? 1_000_000n) * MB);
              }
            }
          },
        ),
        { numRuns: scaled(25, 1000) },
      );
    },
  );
});
