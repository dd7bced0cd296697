import type { Ctx } from '../../ctx.ts';

export interface ReceiptRow {
  number: number;
  creditedAt: Date;
  creditedMicros: bigint;
  creditedRateE12: bigint;
  units: bigint;
  chain: string;
  asset: string;
  /** Null if staff recorded the payment. */
  transactionId: string | null;
  invoiceId: string | null;
  /** Null unless the payment has left its chain. */
  reversedAt: Date | null;
}

/** The driver returns `numeric` as text. */
type StoredReceipt = Omit<ReceiptRow, 'units' | 'creditedRateE12'> & { units: string; creditedRateE12: string };

/** @returns undefined if the user has none with this number */
export async function findReceipt(ctx: Ctx, userId: string, number: number): Promise<ReceiptRow | undefined> {
  const [row] = await ctx.db.query<StoredReceipt>(
    `select number, credited_at as "creditedAt", credited_micros as "creditedMicros", credited_rate_e12 as "creditedRateE12",
            units, chain, asset, case when not is_by_hand then transaction_id end as "transactionId",
            deposits.invoice_id as "invoiceId", case state when 'REVERSED' then reversed_at end as "reversedAt"
       from top_up_receipts
       join deposits on deposits.id = deposit_id
       join readable_deposits as owned on owned.id = deposits.id
      where number = $1 and owned.user_id = $2`,
    [number, userId],
  );
  return row && { ...row, units: BigInt(row.units), creditedRateE12: BigInt(row.creditedRateE12) };
}
