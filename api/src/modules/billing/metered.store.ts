import type { Ctx } from '../../ctx.ts';
import type { RequestedEnd } from './ending.store.ts';

/** An open connection with the counters of one gateway run. */
export interface MeteredConnection {
  id: string;
  payerAccountId: bigint;
  escrowAccountId: bigint;
  priceMicros: bigint;
  usedBytes: bigint;
  uploadedBytes: bigint;
  grantedBytes: bigint;
  chargedMegabytes: bigint;
  endingReason: RequestedEnd | null;
  capMegabytes: bigint | null;
  accessRevision: number;
  /** Null if the run never opened the connection; then the other `run` fields are null too. */
  isRunOpen: boolean | null;
  runUsedBytes: bigint;
  runUploadedBytes: bigint;
  runGrantedBytes: bigint;
  runWrittenOffBytes: bigint;
  isRecalled: boolean | null;
}

/** Finds open connections. Call with the payers' accounts locked, which guard these rows. */
export function findMetered(ctx: Ctx, runId: string, ids: readonly string[]): Promise<MeteredConnection[]> {
  return ctx.db.query(
    `select id, payer_account_id as "payerAccountId", escrow_account_id as "escrowAccountId",
            price_micros as "priceMicros", connections.used_bytes as "usedBytes",
            connections.uploaded_bytes as "uploadedBytes", connections.granted_bytes as "grantedBytes",
            charged_megabytes as "chargedMegabytes", ending_reason as "endingReason", cap_megabytes as "capMegabytes",
            access_revision as "accessRevision", run.is_open as "isRunOpen", run.is_recalled as "isRecalled",
            run.used_bytes as "runUsedBytes", run.uploaded_bytes as "runUploadedBytes",
            run.granted_bytes as "runGrantedBytes", run.written_off_bytes as "runWrittenOffBytes"
       from connections left join connection_runs as run on run.connection_id = id and run.run_id = $2
      where id = any($1::uuid[]) and status = 'WORK' order by id`,
    [ids, runId],
  );
}

export async function findPayers(ctx: Ctx, ids: readonly string[]): Promise<bigint[]> {
  const rows = await ctx.db.query<{ accountId: bigint }>(
    'select distinct payer_account_id as "accountId" from connections where id = any($1::uuid[])',
    [ids],
  );
  return rows.map((row) => row.accountId);
}
