/**
 * Credit control of one connection: computes the price of a usage report and the next grant. Pure functions; callers hold the
 * lock of the payer's account.
 *
 * Money is reserved before bytes move. A grant of k megabytes beyond the paid ones places a hold for their price on the
 * payer's account; a report turns the held price of each started megabyte into a charge. A gateway never counts more than it
 * was granted, so no charge can fail (compare RFC 8506, sections 5.1.2 and 5.3).
 */
import { PREPAID_MEGABYTES } from '@cellhop/contract/limits';
import type { CreditState } from '@cellhop/contract/gateway';
import { startedMegabytes, megabytesToBytes } from '@cellhop/contract/units';

/** A connection's totals over all gateway runs. */
export interface Meter {
  usedBytes: bigint;
  /** The part of the used bytes from the client to its destinations. */
  uploadedBytes: bigint;
  /** Open runs count with their grant, closed runs with their used bytes. */
  grantedBytes: bigint;
  /** Includes the prepaid megabytes. */
  chargedMegabytes: bigint;
  megabytePriceMicros: bigint;
  /** The most megabytes that may be granted in total. Null: no cap. */
  capMegabytes: bigint | null;
}

/** The share of one gateway run. Always `uploadedBytes <= usedBytes <= grantedBytes`. */
export interface Run {
  usedBytes: bigint;
  uploadedBytes: bigint;
  grantedBytes: bigint;
  isOpen: boolean;
  /** Closed because its process was silent for too long. If that reports after all, it has the run open and goes on. */
  isLost: boolean;
}

export interface Report {
  /** The run's total so far. A total below the known one is a late message and changes nothing. */
  usedBytes: bigint;
  uploadedBytes: bigint;
  /** Bytes that the gateway wants granted beyond `usedBytes`. */
  wantedBytes: bigint;
}

export interface ChargedReport {
  meter: Meter;
  run: Run;
  /** Megabytes to charge now: `from` (inclusive) to `to` (exclusive); equal when there is nothing to charge. */
  charge: { from: bigint; to: bigint };
  /** Change of the hold on the payer's account; negative releases money. */
  holdChangeMicros: bigint;
  /** Bytes of this report that are not charged, because their hold was released and the money spent before the report came. */
  writtenOffBytes: bigint;
  state: CreditState;
  /** Why the state is `final`. */
  finalReason: 'NO_MONEY' | 'CAP' | undefined;
  /** All paid bytes are used, and the free balance is below the price of one megabyte. */
  isOutOfMoney: boolean;
  /** The cap is used up. */
  isAtCap: boolean;
}

/** Charges a run's report and grants what it wants, limited by the payer's free balance. */
export function chargeReport(meter: Meter, run: Run, report: Report, freeMicros: bigint): ChargedReport {
  const counted = count(meter, run, report, freeMicros);
  const resumed = resume(counted);
  const granted = grant(resumed.meter, resumed.run, report.wantedBytes, resumed.freeMicros);
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

/** Opens a run on the connection, or reopens a closed one, which continues from its last total. */
export function openRun(run: Run | undefined): Run {
  if (!run) return { usedBytes: 0n, uploadedBytes: 0n, grantedBytes: 0n, isOpen: true, isLost: false };
  return run.isOpen ? run : { ...run, grantedBytes: run.usedBytes, isOpen: true, isLost: false };
}

/** Closes a run and releases its unused grant. */
export function closeRun(meter: Meter, run: Run): { meter: Meter; run: Run; holdChangeMicros: bigint } {
  if (!run.isOpen) return { meter, run: { ...run, isLost: false }, holdChangeMicros: 0n };
  const closed = { ...meter, grantedBytes: meter.grantedBytes - (run.grantedBytes - run.usedBytes) };
  return { meter: closed, run: { ...run, isOpen: false }, holdChangeMicros: heldMicros(closed) - heldMicros(meter) };
}

/**
 * The bytes of a run that are written off, after one more report of it. A repeated report changes nothing; money that was
 * added since pays for some of them.
 * @param run the state before the report
 * @param charged the report after charging
 */
export function writtenOffAfter(
  run: Pick<Run, 'usedBytes'> & { writtenOffBytes: bigint },
  charged: Pick<ChargedReport, 'run' | 'writtenOffBytes'>,
): bigint {
  return max(charged.writtenOffBytes, run.usedBytes + run.writtenOffBytes - charged.run.usedBytes);
}

export interface FinalBill {
  /** Megabytes that are not refunded. */
  chargedMegabytes: bigint;
  refundMicros: bigint;
  /** The final price of the connection. */
  revenueMicros: bigint;
}

/**
 * The final bill. Within the refund window, or if the exit was lost, only started megabytes are charged. Only prepaid
 * megabytes can be refunded, because later ones are charged when they start.
 */
export function finalBill(meter: Meter, isRefundable: boolean): FinalBill {
  const started = startedMegabytes(meter.usedBytes);
  const isPartUnused = isRefundable && started < BigInt(PREPAID_MEGABYTES);
  const chargedMegabytes = isPartUnused ? started : meter.chargedMegabytes;
  return {
    chargedMegabytes,
    refundMicros: (meter.chargedMegabytes - chargedMegabytes) * meter.megabytePriceMicros,
    revenueMicros: chargedMegabytes * meter.megabytePriceMicros,
  };
}

/** What the traffic has cost so far: the part of the cost that no refund at the end gives back. */
export function startedMicros({
  usedBytes,
  megabytePriceMicros,
}: Pick<Meter, 'usedBytes' | 'megabytePriceMicros'>): bigint {
  return startedMegabytes(usedBytes) * megabytePriceMicros;
}

/** The price of granted megabytes that have not started and so are not charged yet. */
export function heldMicros(meter: Meter): bigint {
  return (paidOrHeldMegabytes(meter) - meter.chargedMegabytes) * meter.megabytePriceMicros;
}

function paidOrHeldMegabytes(meter: Meter): bigint {
  return max(meter.chargedMegabytes, startedMegabytes(meter.grantedBytes));
}

/** Applies a run's new total and charges the megabytes that it started. */
function count(meter: Meter, run: Run, report: Report, freeMicros: bigint) {
  const totalBytes = max(run.usedBytes, min(report.usedBytes, run.grantedBytes));
  const growthBytes = totalBytes - run.usedBytes;
  // The bytes of an open run were granted, so they are paid or held. Those of a run that was closed in the meantime are not:
  // they are covered by paid bytes that no run was granted, then by the free balance, up to the cap. The rest is written off.
  const price = meter.megabytePriceMicros;
  const coveredMegabytes = paidOrHeldMegabytes(meter);
  const coverableBytes = min(capBytes(meter), megabytesToBytes(coveredMegabytes + freeMicros / price));
  const availableBytes = coverableBytes - meter.grantedBytes;
  const countedBytes = run.isOpen ? growthBytes : min(growthBytes, max(0n, availableBytes));
  const usedBytes = meter.usedBytes + countedBytes;
  // Limited to the counted bytes, so that uploads and downloads add up to the used bytes and neither total shrinks.
  const uploadedBytes = min(countedBytes, max(0n, report.uploadedBytes - run.uploadedBytes));
  const counted: Meter = {
    ...meter,
    usedBytes,
    uploadedBytes: meter.uploadedBytes + uploadedBytes,
    grantedBytes: meter.grantedBytes + (run.isOpen ? 0n : countedBytes),
    chargedMegabytes: max(meter.chargedMegabytes, startedMegabytes(usedBytes)),
  };
  return {
    meter: counted,
    run: { ...run, usedBytes: run.usedBytes + countedBytes, uploadedBytes: run.uploadedBytes + uploadedBytes },
    freeMicros: freeMicros - (paidOrHeldMegabytes(counted) - coveredMegabytes) * price,
    writtenOffBytes: growthBytes - countedBytes,
  };
}

/**
 * A lost run gets back what it was granted, which its process may be using, if the free balance still pays for all of that: its transfers
 * go on. Otherwise it stays closed.
 */
function resume({ meter, run, freeMicros }: { meter: Meter; run: Run; freeMicros: bigint }) {
  if (!run.isLost) return { meter, run, freeMicros };
  const resumed = { ...meter, grantedBytes: meter.grantedBytes + run.grantedBytes - run.usedBytes };
  const priceMicros = heldMicros(resumed) - heldMicros(meter);
  if (priceMicros > freeMicros || resumed.grantedBytes > capBytes(meter)) return { meter, run, freeMicros };
  return { meter: resumed, run: { ...run, isOpen: true, isLost: false }, freeMicros: freeMicros - priceMicros };
}

/** Grants whole megabytes, because they are charged as such. */
function grant(meter: Meter, run: Run, wantedBytes: bigint, freeMicros: bigint) {
  // Closed, and not resumed: the gateway closes its tunnels and authorizes again.
  if (!run.isOpen) return { meter, run, freeMicros, state: 'ended' as const, finalReason: undefined };
  const missingBytes = run.usedBytes + wantedBytes - run.grantedBytes;
  if (missingBytes <= 0n) return { meter, run, freeMicros, state: 'open' as const, finalReason: undefined };

  const price = meter.megabytePriceMicros;
  const coveredMegabytes = paidOrHeldMegabytes(meter);
  const wantedMegabytes = startedMegabytes(min(capBytes(meter), meter.grantedBytes + missingBytes));
  const missingMegabytes = max(0n, wantedMegabytes - coveredMegabytes);
  const boughtMegabytes = min(missingMegabytes, fairShare(freeMicros / price));
  const paidBytes = megabytesToBytes(coveredMegabytes + boughtMegabytes);
  // A lowered cap may be below the bytes that are already granted.
  const grantedBytes = max(meter.grantedBytes, min(capBytes(meter), paidBytes));
  const isOutOfMoney = missingMegabytes > 0n && boughtMegabytes === 0n;
  const finalReason = toFinalReason(grantedBytes >= capBytes(meter), isOutOfMoney);
  return {
    meter: { ...meter, grantedBytes },
    run: { ...run, grantedBytes: run.grantedBytes + grantedBytes - meter.grantedBytes },
    freeMicros: freeMicros - boughtMegabytes * price,
    state: finalReason ? ('final' as const) : ('open' as const),
    finalReason,
  };
}

function toFinalReason(isCapped: boolean, isOutOfMoney: boolean): ChargedReport['finalReason'] {
  if (isCapped) return 'CAP';
  return isOutOfMoney ? 'NO_MONEY' : undefined;
}

/** No grant takes more than half of the affordable megabytes, so that a busy connection does not starve the user's others. */
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
