/**
 * Credit control of one connection: what a report costs, and how far the gateway may go on. Pure; all of it runs under
 * the lock of the payer's account.
 *
 * Money is reserved before bytes move: a grant of k megabytes beyond the paid ones holds their price on the payer's
 * account, a report turns the held price of each megabyte that has begun into a charge. Because a gateway never counts
 * more than it was granted, no charge can fail (RFC 8506, sections 5.1.2 and 5.3, in our words).
 */
import { PREPAID_MEGABYTES } from '@cellhop/contract/limits';
import type { CreditState } from '@cellhop/contract/gateway';
import { megabytesBegun, megabytesToBytes } from '@cellhop/contract/units';

/** A connection's sums over all gateway runs. */
export interface Meter {
  usedBytes: bigint;
  /** Of the used bytes, those that went from the client to its destinations. */
  uploadedBytes: bigint;
  /** Runs that are open count with what they were granted, runs that are over with what they used. */
  grantedBytes: bigint;
  /** Paid megabytes, the prepaid ones included. */
  chargedMegabytes: bigint;
  megabytePriceMicros: bigint;
  /** Nothing is granted beyond so many megabytes. Null: no cap. */
  capMegabytes: bigint | null;
}

/** One gateway run's part. `uploadedBytes <= usedBytes <= grantedBytes` always. */
export interface Run {
  usedBytes: bigint;
  uploadedBytes: bigint;
  grantedBytes: bigint;
  isOpen: boolean;
}

export interface Report {
  /** The run's total so far. Smaller than what is known: a late message, which changes nothing. */
  usedBytes: bigint;
  uploadedBytes: bigint;
  /** How much the gateway wants to have granted ahead of it. */
  wantedBytes: bigint;
}

export interface Settlement {
  meter: Meter;
  run: Run;
  /** Megabytes to charge now: `from` (included) to `to` (excluded); equal when there is nothing to charge. */
  charge: { from: bigint; to: bigint };
  /** To add to the money held on the payer's account; negative releases. */
  holdChangeMicros: bigint;
  /** Of this report: what came after its money had been released and spent otherwise; not charged. */
  writtenOffBytes: bigint;
  state: CreditState;
  /** Why the state is `final`. */
  finalReason: 'NO_MONEY' | 'CAP' | undefined;
  /** Every paid byte is used, and the free money does not buy another megabyte. */
  isOutOfMoney: boolean;
  /** All that the cap allows is used. */
  isAtCap: boolean;
}

/** Charges what a run reports and grants it what it wants, as far as the payer's free money goes. */
export function settle(meter: Meter, run: Run, report: Report, freeMicros: bigint): Settlement {
  const counted = count(meter, run, report, freeMicros);
  const granted = grant(counted.meter, counted.run, report.wantedBytes, counted.freeMicros);
  const isOutOfMoney =
    granted.meter.usedBytes === megabytesToBytes(paidOrHeldMegabytes(granted.meter)) &&
    granted.freeMicros < meter.megabytePriceMicros;
  return {
    meter: granted.meter,
    run: granted.run,
    charge: { from: meter.chargedMegabytes, to: granted.meter.chargedMegabytes },
    holdChangeMicros: heldMicros(granted.meter) - heldMicros(meter),
    writtenOffBytes: counted.writtenOffBytes,
    state: granted.state,
    finalReason: granted.finalReason,
    isOutOfMoney,
    isAtCap: granted.meter.usedBytes >= capBytes(meter),
  };
}

/** Opens a run on the connection, or opens one again that had ended its part: it goes on from its last total. */
export function openRun(run: Run | undefined): Run {
  if (!run) return { usedBytes: 0n, uploadedBytes: 0n, grantedBytes: 0n, isOpen: true };
  return run.isOpen ? run : { ...run, grantedBytes: run.usedBytes, isOpen: true };
}

/** Ends a run's part: what it was granted and did not use is free again. */
export function closeRun(meter: Meter, run: Run): { meter: Meter; run: Run; holdChangeMicros: bigint } {
  if (!run.isOpen) return { meter, run, holdChangeMicros: 0n };
  const closed = { ...meter, grantedBytes: meter.grantedBytes - (run.grantedBytes - run.usedBytes) };
  return { meter: closed, run: { ...run, isOpen: false }, holdChangeMicros: heldMicros(closed) - heldMicros(meter) };
}

/**
 * How much of what a run reported too late is not charged, after a report of it. A repeat changes nothing; free money that has come
 * since takes some of it back.
 * @param run as it was before the report
 * @param settled what the report came to
 */
export function writtenOffAfter(
  run: Pick<Run, 'usedBytes'> & { writtenOffBytes: bigint },
  settled: Pick<Settlement, 'run' | 'writtenOffBytes'>,
): bigint {
  return max(settled.writtenOffBytes, run.usedBytes + run.writtenOffBytes - settled.run.usedBytes);
}

export interface FinalBill {
  /** Megabytes that stay charged. */
  chargedMegabytes: bigint;
  refundMicros: bigint;
  /** What the connection has cost in the end. */
  settledMicros: bigint;
}

/**
 * The bill at the end. Inside the refund window, or when the exit was lost, only megabytes that have begun are charged;
 * refunds are about the prepaid megabytes, because later ones are charged when they begin.
 */
export function finalBill(meter: Meter, isRefundable: boolean): FinalBill {
  const begun = megabytesBegun(meter.usedBytes);
  const isPartUnused = isRefundable && begun < BigInt(PREPAID_MEGABYTES);
  const chargedMegabytes = isPartUnused ? begun : meter.chargedMegabytes;
  return {
    chargedMegabytes,
    refundMicros: (meter.chargedMegabytes - chargedMegabytes) * meter.megabytePriceMicros,
    settledMicros: chargedMegabytes * meter.megabytePriceMicros,
  };
}

/** The price of granted megabytes that have not begun, hence are not charged yet. */
export function heldMicros(meter: Meter): bigint {
  return (paidOrHeldMegabytes(meter) - meter.chargedMegabytes) * meter.megabytePriceMicros;
}

function paidOrHeldMegabytes(meter: Meter): bigint {
  return max(meter.chargedMegabytes, megabytesBegun(meter.grantedBytes));
}

/** Takes a run's new total in and charges the megabytes that it began. */
function count(meter: Meter, run: Run, report: Report, freeMicros: bigint) {
  const totalBytes = max(run.usedBytes, min(report.usedBytes, run.grantedBytes));
  const growthBytes = totalBytes - run.usedBytes;
  // An open run's bytes were granted, so they are paid or held. Those of a run that was closed meanwhile are not: they
  // take what no run has been granted, then free money up to the cap, and what that does not cover is written off.
  const price = meter.megabytePriceMicros;
  const haveMegabytes = paidOrHeldMegabytes(meter);
  const roomBytes = min(capBytes(meter), megabytesToBytes(haveMegabytes + freeMicros / price)) - meter.grantedBytes;
  const countedBytes = run.isOpen ? growthBytes : min(growthBytes, max(0n, roomBytes));
  const usedBytes = meter.usedBytes + countedBytes;
  // Bytes that do not count have no direction: neither total ever shrinks, and both together are the used bytes.
  const uploadedBytes = min(countedBytes, max(0n, report.uploadedBytes - run.uploadedBytes));
  const counted: Meter = {
    ...meter,
    usedBytes,
    uploadedBytes: meter.uploadedBytes + uploadedBytes,
    grantedBytes: meter.grantedBytes + (run.isOpen ? 0n : countedBytes),
    chargedMegabytes: max(meter.chargedMegabytes, megabytesBegun(usedBytes)),
  };
  return {
    meter: counted,
    run: { ...run, usedBytes: run.usedBytes + countedBytes, uploadedBytes: run.uploadedBytes + uploadedBytes },
    freeMicros: freeMicros - (paidOrHeldMegabytes(counted) - haveMegabytes) * price,
    writtenOffBytes: growthBytes - countedBytes,
  };
}

/** Grants in whole megabytes, because that is how they are paid. */
function grant(meter: Meter, run: Run, wantedBytes: bigint, freeMicros: bigint) {
  // A report of a closed run came too late to go on from: the gateway cuts its tunnels and authorizes anew.
  if (!run.isOpen) return { meter, run, freeMicros, state: 'ended' as const, finalReason: undefined };
  const missingBytes = run.usedBytes + wantedBytes - run.grantedBytes;
  if (missingBytes <= 0n) return { meter, run, freeMicros, state: 'open' as const, finalReason: undefined };

  const price = meter.megabytePriceMicros;
  const haveMegabytes = paidOrHeldMegabytes(meter);
  const wantedMegabytes = megabytesBegun(min(capBytes(meter), meter.grantedBytes + missingBytes));
  const missingMegabytes = max(0n, wantedMegabytes - haveMegabytes);
  const boughtMegabytes = min(missingMegabytes, fairShare(freeMicros / price));
  const paidBytes = megabytesToBytes(haveMegabytes + boughtMegabytes);
  // A cap that was lowered may be less than what has been granted.
  const grantedBytes = max(meter.grantedBytes, min(capBytes(meter), paidBytes));
  const isOutOfMoney = missingMegabytes > 0n && boughtMegabytes === 0n;
  const finalReason = finalReasonOf(grantedBytes >= capBytes(meter), isOutOfMoney);
  return {
    meter: { ...meter, grantedBytes },
    run: { ...run, grantedBytes: run.grantedBytes + grantedBytes - meter.grantedBytes },
    freeMicros: freeMicros - boughtMegabytes * price,
    state: finalReason ? ('final' as const) : ('open' as const),
    finalReason,
  };
}

function finalReasonOf(isCapped: boolean, isOutOfMoney: boolean): Settlement['finalReason'] {
  if (isCapped) return 'CAP';
  return isOutOfMoney ? 'NO_MONEY' : undefined;
}

/** No grant takes more than half of the free megabytes, so that a busy connection leaves some to its user's others. */
function fairShare(affordableMegabytes: bigint): bigint {
  return affordableMegabytes <= 1n ? affordableMegabytes : affordableMegabytes / 2n;
}

/** More than any counter holds (2^63 bytes). */
const NO_CAP_BYTES = 1n << 63n;

function capBytes({ capMegabytes }: Meter): bigint {
  return capMegabytes === null ? NO_CAP_BYTES : megabytesToBytes(capMegabytes);
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
