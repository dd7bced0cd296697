/** The deposits of invoices: for the invoice's status, for its payer and for staff. */
import type { Ctx } from '../../ctx.ts';
import { IS_SUSPENDED, type SuspensionReason } from './suspended-payments.store.ts';
import { isCounted, depositStates, type DepositState } from './deposit-state.ts';

const COUNTED_STATES = depositStates.filter(isCounted);

export interface InvoiceDeposit {
  invoiceId: string;
  units: bigint;
  isCredited: boolean;
  /** Null until it is credited. */
  creditedMicros: bigint | null;
  arrivedAt: Date;
  /** Recorded by staff. */
  isByHand: boolean;
  asset: string;
  transactionId: string;
  /** Null in the memory pool, and in deposits by hand. */
  blockHeight: bigint | null;
  confirmationsMin: number;
  /** It is only in the memory pool and signals that it may be replaced. */
  isReplaceable: boolean;
  arrivalRateE12: bigint | undefined;
  /** Its stablecoin does not trade at one dollar now. */
  waitsForPeg: boolean;
  /** The number of its receipt. */
  receipt: number | null;
}

interface StoredAmounts {
  units: string;
  arrivalRateE12: string | null;
}
type StoredInvoiceDeposit = Omit<InvoiceDeposit, 'units' | 'arrivalRateE12'> & StoredAmounts;

const INVOICE_DEPOSIT = `
  invoice_id as "invoiceId", units, state = 'CREDITED' as "isCredited", credited_micros as "creditedMicros",
  arrived_at as "arrivedAt", is_by_hand as "isByHand", asset, transaction_id as "transactionId", block_height as "blockHeight",
  confirmations_min as "confirmationsMin", state = 'SEEN' and is_replaceable as "isReplaceable", arrival_rate_e12 as "arrivalRateE12",
  coalesce(state = 'FINAL' and hold = 'DEPEG' and ${IS_SUSPENDED}, false) as "waitsForPeg",
  (select number from top_up_receipts where deposit_id = deposits.id) as receipt`;

function toAmounts({ units, arrivalRateE12 }: StoredAmounts): Pick<InvoiceDeposit, 'units' | 'arrivalRateE12'> {
  return { units: BigInt(units), arrivalRateE12: arrivalRateE12 === null ? undefined : BigInt(arrivalRateE12) };
}

/** Ordered by arrival. Those that have left their chain do not count. */
export async function listOfInvoices(ctx: Ctx, invoiceIds: readonly string[]): Promise<InvoiceDeposit[]> {
  const rows = await ctx.db.query<StoredInvoiceDeposit>(
    `select ${INVOICE_DEPOSIT} from deposits where invoice_id = any($1::uuid[]) and state = any($2) order by arrived_at, id`,
    [invoiceIds, COUNTED_STATES],
  );
  return rows.map((row) => ({ ...row, ...toAmounts(row) }));
}

/** Sums, by invoice, the units of payments that were seen and then replaced or dropped. */
export async function sumReplaced(ctx: Ctx, invoiceIds: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
  if (invoiceIds.length === 0) return new Map();
  const rows = await ctx.db.query<{ invoiceId: string; units: string }>(
    `select invoice_id as "invoiceId", sum(units) as units from deposits
      where invoice_id = any($1::uuid[]) and state = 'REPLACED' group by invoice_id`,
    [invoiceIds],
  );
  return new Map(rows.map(({ invoiceId, units }) => [invoiceId, BigInt(units)]));
}

export interface DepositDetail extends InvoiceDeposit {
  id: string;
  state: DepositState;
  /** Another transaction had paid to the same address before. */
  isAddressReuse: boolean;
  firstSeenAt: Date;
  blockAt: Date | null;
  creditedRateE12: bigint | null;
  creditedAt: Date | null;
  hold: SuspensionReason | null;
  /** It is suspended. */
  isHeld: boolean;
  /** Taken back from the customer. */
  reversedMicros: bigint | null;
}

/** The deposits of an invoice in the order of their arrival. */
export async function listDetails(ctx: Ctx, invoiceId: string): Promise<DepositDetail[]> {
  const rows = await ctx.db.query<
    Omit<DepositDetail, keyof StoredAmounts | 'creditedRateE12'> & StoredAmounts & { creditedRateE12: string | null }
  >(
    `select id, state, first_seen_at as "firstSeenAt", block_at as "blockAt",
            not is_by_hand and exists (
              select from deposits as earlier
               where earlier.address_id = deposits.address_id and not earlier.is_by_hand and earlier.state = any($2)
                 and earlier.transaction_id <> deposits.transaction_id
                 and (earlier.arrived_at, earlier.id) < (deposits.arrived_at, deposits.id)) as "isAddressReuse",
            credited_rate_e12 as "creditedRateE12", credited_at as "creditedAt", hold,
            state in ('FINAL', 'REVERSED') and ${IS_SUSPENDED} as "isHeld", reversed_micros as "reversedMicros",
            ${INVOICE_DEPOSIT}
       from deposits where invoice_id = $1 order by arrived_at, id`,
    [invoiceId, COUNTED_STATES],
  );
  return rows.map((row) => ({
    ...row,
    ...toAmounts(row),
    creditedRateE12: row.creditedRateE12 === null ? null : BigInt(row.creditedRateE12),
  }));
}
