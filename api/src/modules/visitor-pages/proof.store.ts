import type { Ctx } from '../../ctx.ts';

export interface Ends {
  /** Connections that have ended: each has a signed receipt. */
  receipts: number;
  refunds: number;
}

/** Of the last days. */
export async function countEnds(ctx: Ctx, days: number): Promise<Ends> {
  const [row] = await ctx.db.query<Ends>(
    `select count(*)::int as receipts, count(*) filter (where refund_status = 'REFUNDED')::int as refunds
       from readable_connections where ended_at > now() - $1::int * interval '1 day'`,
    [days],
  );
  return row!;
}

/** Of the exits that work. */
export async function findMedianLatency(ctx: Ctx): Promise<number | undefined> {
  const [row] = await ctx.db.query<{ latencyMs: number | null }>(
    `select percentile_disc(0.5) within group (order by latency_ms) as "latencyMs" from exit_states where health = 'HEALTHY'`,
  );
  return row?.latencyMs ?? undefined;
}
