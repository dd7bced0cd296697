/** The state of the system: the check of all money, jobs, chains and the database. */
import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { data, dateSchema, listQuery, listed, reasonSchema } from '../schemas.ts';
import { reconciliationSchema } from '../transactions.ts';
import { jobStates } from './lists.values.ts';

const count = z.int().nonnegative();

export const systemStateSchema = z.object({
  reconciliation: reconciliationSchema,
  jobs: z.object({
    waiting: count,
    running: count,
    /** Permanently failed: staff must retry them or fix the cause. */
    failed: count,
    /** When the oldest waiting job was due; null if none is. */
    oldestDueAt: dateSchema.nullable(),
  }),
  chains: z.array(
    z.object({
      chain: z.string(),
      /** False: payments on it are not seen. */
      isWatched: z.boolean(),
      /** Why no invoices are created on it; null while it is healthy. */
      problem: z
        .enum(['PAUSED', 'NEVER_POLLED', 'UNAVAILABLE', 'NOT_POLLED', 'OLD_HEAD', 'BEHIND', 'NOT_FINAL'])
        .nullable(),
      /** The reason of a failure or pause, also while the chain still counts as healthy. */
      detail: z.string().nullable(),
      since: dateSchema.nullable(),
      headHeight: count.nullable(),
      headAt: dateSchema.nullable(),
      /** Blocks that are still to be read. */
      lagBlocks: count,
      /** Independent sources in the settings. A single one is trusted, of three any two must agree. 0 in the sandbox. */
      sources: count,
      /** Addresses that are watched at the pace of the chain, and those beyond the limit, whose payments are found a day later. */
      watchedAddresses: count,
      unwatchedAddresses: count,
      /** Deposits that were seen and are not credited yet. */
      openDeposits: count,
      /** The open deposits that the operator must release. */
      heldDeposits: count,
      /** The time of the last comparison of addresses with deposits; null before the first. */
      comparedAt: dateSchema.nullable(),
      /** The differences of the last comparison, as sentences. */
      differences: z.array(z.string()),
      /** What the last poll found strange, although it stopped nothing, as sentences: a source that disagrees with two others, for example. */
      warnings: z.array(z.string()),
    }),
  ),
  /** The operator's wallets. */
  accounts: z.array(
    z.object({
      space: z.string(),
      fingerprint: z.string(),
      addressCount: count,
      paidCount: count,
      /** Consecutive addresses without a payment: the wallet must scan more than that. */
      gap: count,
    }),
  ),
  /** The sources of exchange rates; empty in the sandbox. */
  rateSources: z.array(
    z.object({
      source: z.string(),
      succeededAt: dateSchema.nullable(),
      failingSince: dateSchema.nullable(),
      failure: z.string().nullable(),
    }),
  ),
  /** Whether USDT trades at one dollar; otherwise payments in it are on hold. */
  peg: z.object({
    isKept: z.boolean(),
    /** US dollars, as a decimal string; null if it is kept or unknown. */
    rate: z.string().nullable(),
  }),
  database: z.object({
    version: z.string(),
    bytes: count,
    /** Connections of all programs, and how many the server allows. */
    connections: count,
    connectionsMax: count,
    /** The connection pool of this API process. */
    pool: z.object({ used: count, idle: count, waiting: count }),
  }),
});
export type SystemState = z.infer<typeof systemStateSchema>;

export const getSystemState = endpoint({
  method: 'GET',
  url: '/v1/system/admin',
  access: { permission: 'SYSTEM_READ' },
  summary: 'Whether all money adds up, and figures of jobs, chains and the database',
  response: data(systemStateSchema),
});

export const jobSchema = z.object({
  id: z.string(),
  name: z.string(),
  state: z.enum(jobStates),
  attempts: count,
  attemptsMax: count,
  /** The first line, without addresses, links and long codes. */
  lastError: z.string().nullable(),
  createdAt: dateSchema,
  /** When the next attempt is due, or when the last one was. */
  runAt: dateSchema,
  /** False for mails whose contents were deleted after they had failed. */
  canRetry: z.boolean(),
});
export type Job = z.infer<typeof jobSchema>;

export const listJobs = endpoint({
  method: 'GET',
  url: '/v1/system/admin/jobs',
  access: { permission: 'SYSTEM_READ' },
  summary: 'Jobs that wait, run or have failed; the failed ones first',
  query: z.strictObject({ ...listQuery, state: z.enum(jobStates).optional() }),
  response: listed(jobSchema),
});

export const retryJob = endpoint({
  method: 'POST',
  url: '/v1/system/admin/jobs/{id}/retry',
  access: { permission: 'SYSTEM_EDIT' },
  summary: 'Run a job that failed or waits for its next attempt, at once and with all its attempts',
  params: z.strictObject({ id: z.string().regex(/^\d{1,18}$/) }),
  body: z.strictObject({ reason: reasonSchema.optional() }).nullish(),
  response: data(jobSchema),
  errors: ['NOT_FOUND', 'JOB_NOT_FAILED'],
});
