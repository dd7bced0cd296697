/**
 * The billing rules as an oracle for the model test: small, slow and in one place. It stores the
 * deposits and the counters of each run, and derives all balances from them.
 *
 * The service may choose the size of a grant within bounds, so the oracle takes it from the response and checks it.
 */
import type { EndReason, RefundStatus } from '@cellhop/contract/connections';
import type { CreditState } from '@cellhop/contract/gateway';

const MB = 1_048_576n;
export const PREPAID = 50n;
/** More than any connection uses. */
const NO_CAP = 1n << 63n;
const STATUSES = {
  USER: 'DISCONNECT_USER',
  ADMIN: 'DISCONNECT_ADMIN',
  NO_MONEY: 'NO_MONEY',
  IDLE: 'NOT_WORK',
  EXIT_LOST: 'NOT_WORK',
  CAP: 'NOT_WORK',
} as const;

export interface OracleRun {
  usedBytes: bigint;
  uploadedBytes: bigint;
  grantedBytes: bigint;
  isOpen: boolean;
  /** The run is open and a lowered cap has recalled its grant. */
  isRecalled: boolean;
  /** Closed because its process was silent. */
  isLost: boolean;
}

export interface OracleReport {
  /** `lose`: the process is silent. */
  kind: 'open' | 'report' | 'close' | 'lose';
  usedBytes: bigint;
  uploadedBytes: bigint;
  wantedBytes: bigint;
  isExitLost: boolean;
}

/** The response of the service; grants of closed runs have no meaning. */
export interface OracleAnswer {
  grantedBytes: bigint;
  state: CreditState;
}

export class OracleConnection {
  readonly runs = new Map<string, OracleRun>();
  endReason: EndReason | null = null;
  /** Requested; the last report completes it. */
  ending: Exclude<EndReason, 'NO_MONEY'> | null = null;
  isRefundable = true;
  capBytes = NO_CAP;
  /** The customer has asked for another proxy in its place. */
  isReplaced = false;

  constructor(
    readonly id: string,
    readonly megabytePriceMicros: bigint,
  ) {}

  get status() {
    return this.endReason === null ? 'WORK' : STATUSES[this.endReason];
  }

  get usedBytes(): bigint {
    return sum([...this.runs.values()].map((run) => run.usedBytes));
  }

  get uploadedBytes(): bigint {
    return sum([...this.runs.values()].map((run) => run.uploadedBytes));
  }

  /** Open runs count with their grant, others with their usage. */
  get grantedBytes(): bigint {
    return sum([...this.runs.values()].map((run) => (run.isOpen ? run.grantedBytes : run.usedBytes)));
  }

  get chargedMegabytes(): bigint {
    const begun = begunMegabytes(this.usedBytes);
    return this.refundStatus === 'REFUNDED' ? begun : max(PREPAID, begun);
  }

  get refundStatus(): RefundStatus {
    const isPartUnused = this.endReason !== null && begunMegabytes(this.usedBytes) < PREPAID;
    return isPartUnused && (this.isRefundable || this.isReplaced || this.endReason === 'EXIT_LOST')
      ? 'REFUNDED'
      : 'NONE';
  }

  get paidForMicros(): bigint {
    return this.chargedMegabytes * this.megabytePriceMicros;
  }

  get heldMicros(): bigint {
    return this.endReason === null ? (this.paidOrHeld - this.chargedMegabytes) * this.megabytePriceMicros : 0n;
  }

  get paidOrHeld(): bigint {
    return max(this.chargedMegabytes, begunMegabytes(this.grantedBytes));
  }

  get isOpenAnywhere(): boolean {
    return [...this.runs.values()].some((run) => run.isOpen);
  }

  /** @param megabytes undefined: no cap */
  setCap(megabytes: bigint | undefined): void {
    this.capBytes = megabytes === undefined ? NO_CAP : megabytes * MB;
    if (this.capBytes < this.grantedBytes) for (const run of this.runs.values()) if (run.isOpen) run.isRecalled = true;
  }

  /** For the connection that replaces it. */
  get capLeftBytes(): bigint {
    return this.capBytes === NO_CAP ? NO_CAP : max(1n, this.capBytes / MB - begunMegabytes(this.usedBytes)) * MB;
  }

  end(reason: EndReason): void {
    this.endReason = this.isReplaced ? 'USER' : reason;
    for (const run of this.runs.values()) run.isOpen = false;
  }
}

export class OracleUser {
  readonly connections: OracleConnection[] = [];
  /** The history of this user, for error messages. */
  readonly history: string[] = [];
  /** Connections that a batch of reports ends. They are billed after the whole batch. */
  #ends: { connection: OracleConnection; reason: EndReason }[] = [];
  readonly #succeeded = new Set<OracleConnection>();

  constructor(public depositedMicros: bigint) {}

  get balanceMicros(): bigint {
    return this.depositedMicros - sum(this.connections.map((connection) => connection.paidForMicros));
  }

  get heldMicros(): bigint {
    return sum(this.connections.map((connection) => connection.heldMicros));
  }

  get freeMicros(): bigint {
    return this.balanceMicros - this.heldMicros;
  }

  /** Applies the ends of the finished batch. */
  applyEnds(): void {
    for (const { connection, reason } of this.#ends.splice(0)) connection.end(reason);
  }

  /** @returns replaced connections that have ended since the last call */
  takeReplaced(): OracleConnection[] {
    const ended = this.connections.filter((each) => each.isReplaced && each.endReason !== null);
    return ended.filter((each) => !this.#succeeded.has(each) && this.#succeeded.add(each));
  }

  /** Processes one report of a batch. @throws Error with the user's history if the response violates a rule */
  charge(connection: OracleConnection, runId: string, report: OracleReport, answer: OracleAnswer): void {
    try {
      this.#charge(connection, runId, report, answer);
    } catch (error) {
      throw new Error([...this.history, String(error)].join('\n'), { cause: error });
    }
  }

  #charge(connection: OracleConnection, runId: string, report: OracleReport, answer: OracleAnswer): void {
    if (report.kind === 'open' && connection.status === 'WORK') open(connection, runId);
    const run = connection.runs.get(runId);
    if (!run || connection.status !== 'WORK') return expectState(answer, 'ended');
    if (report.kind === 'report' && isOldNews(connection, run, report)) return expectState(answer, 'open');

    this.#count(connection, run, report);
    if (report.kind === 'report') this.#resume(connection, run);
    const isExitLost = report.isExitLost && connection.ending === null;
    if (isExitLost) connection.ending = 'EXIT_LOST';
    const isRecalled = report.kind === 'report' && run.isOpen && run.isRecalled;
    const isLast = report.kind === 'close' || report.kind === 'lose';
    const mayGrant = run.isOpen && connection.ending === null && !isLast && !isRecalled;
    const state = mayGrant ? this.#grant(connection, run, report, answer) : 'ended';

    const isUsedUp = connection.usedBytes === connection.paidOrHeld * MB;
    const isOutOfMoney = isUsedUp && this.freeMicros < connection.megabytePriceMicros;
    if (isLast) Object.assign(run, { isOpen: false, isLost: report.kind === 'lose' });
    const isAtCap = connection.usedBytes >= connection.capBytes;
    if (connection.ending === null && (isAtCap || isOutOfMoney)) {
      // After the cap was lowered, runs may still use their earlier grants.
      if (connection.grantedBytes > connection.usedBytes) connection.ending = 'CAP';
      else this.#ends.push({ connection, reason: isAtCap ? 'CAP' : 'NO_MONEY' });
      return expectState(answer, 'ended');
    }
    const isLastReport = isLast && !connection.isOpenAnywhere;
    if (connection.ending !== null && isLastReport) this.#ends.push({ connection, reason: connection.ending });
    return isLast ? undefined : expectState(answer, state);
  }

  /** Bytes of a closed run are not reserved: they are covered by paid bytes that no run was granted, then by the free balance. */
  #count(connection: OracleConnection, run: OracleRun, report: OracleReport): void {
    const growth = max(0n, min(report.usedBytes, run.grantedBytes) - run.usedBytes);
    const affordable = this.freeMicros / connection.megabytePriceMicros;
    const payable = (connection.paidOrHeld + affordable) * MB;
    const room = max(0n, min(connection.capBytes, payable) - connection.grantedBytes);
    const counted = run.isOpen ? growth : min(growth, room);
    run.uploadedBytes += min(counted, max(0n, report.uploadedBytes - run.uploadedBytes));
    run.usedBytes += counted;
  }

  /** A lost run that reports goes on, if its whole grant can be reserved again. */
  #resume(connection: OracleConnection, run: OracleRun): void {
    if (!run.isLost || run.isRecalled || connection.ending !== null) return;
    run.isOpen = true;
    if (this.freeMicros < 0n || connection.grantedBytes > connection.capBytes) run.isOpen = false;
    else run.isLost = false;
  }

  #grant(connection: OracleConnection, run: OracleRun, report: OracleReport, answer: OracleAnswer): CreditState {
    const missingBytes = run.usedBytes + report.wantedBytes - run.grantedBytes;
    if (missingBytes <= 0n) {
      judge(answer.grantedBytes === run.grantedBytes, 'a grant grew that nobody asked for');
      return 'open';
    }
    const affordable = this.freeMicros / connection.megabytePriceMicros;
    const { capBytes, paidOrHeld: before, grantedBytes: grantedBefore } = connection;
    const missing = max(0n, begunMegabytes(min(capBytes, grantedBefore + missingBytes)) - before);
    judge(answer.grantedBytes >= run.grantedBytes, 'a grant shrank');
    run.grantedBytes = answer.grantedBytes;
    const bought = connection.paidOrHeld - before;
    const payable = max(grantedBefore, min(capBytes, connection.paidOrHeld * MB));
    judge(connection.grantedBytes === payable, 'what is paid and held, up to the cap, was not granted to the byte');
    judge(bought <= missing, `${bought} MB were bought where ${missing} were wanted`);
    judge(bought <= max(1n, affordable / 2n), `${bought} MB were bought with money for ${affordable}`);
    judge(bought > 0n || missing === 0n || affordable === 0n, 'nothing was granted although there is money');
    return connection.grantedBytes >= capBytes || (missing > 0n && affordable === 0n) ? 'final' : 'open';
  }
}

/** The response does not depend on the balance. */
function isOldNews(connection: OracleConnection, run: OracleRun, report: OracleReport): boolean {
  const isCovered = report.usedBytes <= run.usedBytes && report.usedBytes + report.wantedBytes <= run.grantedBytes;
  return isCovered && run.isOpen && !run.isRecalled && connection.ending === null && !report.isExitLost;
}

function open(connection: OracleConnection, runId: string): void {
  const run = connection.runs.get(runId);
  const opened = { isOpen: true, isRecalled: false, isLost: false };
  if (!run) connection.runs.set(runId, { usedBytes: 0n, uploadedBytes: 0n, grantedBytes: 0n, ...opened });
  else if (!run.isOpen) Object.assign(run, { grantedBytes: run.usedBytes, ...opened });
}

function expectState({ state }: OracleAnswer, expected: CreditState): void {
  judge(state === expected, `the state is ${state} where ${expected} was right`);
}

export function judge(isRight: boolean, complaint: string): void {
  if (!isRight) throw new Error(complaint);
}

export function begunMegabytes(bytes: bigint): bigint {
  return (bytes + MB - 1n) / MB;
}

const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n);
const min = (a: bigint, b: bigint) => (a < b ? a : b);
const max = (a: bigint, b: bigint) => (a > b ? a : b);
