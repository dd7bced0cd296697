import type { Ctx } from '../../ctx.ts';

export interface ProofRow {
  /** The median of the exits that work; null if none does. */
  latencyMs: number | null;
  /** Connections that have ended: each has a signed receipt. */
  receipts: number;
  refunds: number;
}

/** Of the last days. */
export async function findProof(ctx: Ctx, days: number): Promise<ProofRow> {
  const [row] = await ctx.db.query<ProofRow>(
    `select count(*)::int as receipts, count(*) filter (where refund_status = 'REFUNDED')::int as refunds,
            (select percentile_disc(0.5) within group (order by latency_ms) from exit_states where health = 'HEALTHY') as "latencyMs"
       from readable_connections where ended_at > now() - $1::int * interval '1 day'`,
    [days],
  );
  return row!;
}
