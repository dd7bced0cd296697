import { setTimeout } from 'node:timers/promises';
import type { Ctx } from '../ctx.ts';
import { correctFutureTimes } from '../db/clock.ts';
import { mailEnds, warnOfLowBalances, warnNearCaps } from '../modules/billing/alerts.service.ts';
import { endIdleConnections } from '../modules/billing/end-idle-connections.service.ts';
import { addTransfers } from '../modules/dashboard/sums.service.ts';
import { fetchRates } from '../modules/invoices/rates.service.ts';
import { expireInvoices, watchChain } from '../modules/invoices/watch.service.ts';
import { reseal } from '../modules/key-rotation/key-rotation.service.ts';
import { reconcileWhenDue } from '../modules/reconciliation/reconciliation.service.ts';
import { refreshCounts, refreshFacets } from '../modules/proxies/proxies.service.ts';
import { queueMails } from '../modules/mails/mails.service.ts';
import { finishOverdue } from '../modules/rotation/rotation.service.ts';
import { rotateByTimer } from '../modules/rotation/timer.service.ts';
import { chains } from '../payments/currencies.ts';
import { useDemoConnections } from '../seed/demo-traffic.ts';
import { correctFutureJobs } from './jobs.ts';

interface PeriodicTask {
  name: string;
  everyMs: number;
  /** @param signal when the worker stops */
  run(ctx: Ctx, signal: AbortSignal): Promise<unknown>;
}

/**
 * Work that runs every few seconds; less frequent work is in schedule.ts. Each is safe to run in several workers at once, because it
 * locks rows and checks them again.
 */
const periodicTasks: PeriodicTask[] = [
  { name: 'connections', everyMs: 1000, run: endIdleConnections },
  { name: 'changes of addresses', everyMs: 5000, run: finishOverdue },
  { name: 'timers of addresses', everyMs: 5000, run: rotateByTimer },
  { name: 'low balances', everyMs: 5000, run: warnOfLowBalances },
  { name: 'traffic caps', everyMs: 5000, run: warnNearCaps },
  { name: 'mails about ends', everyMs: 5000, run: mailEnds },
  { name: 'mails about money', everyMs: 5000, run: queueMails },
  { name: 'clock', everyMs: 10_000, run: correctFutureTimes },
  { name: 'clock of jobs', everyMs: 10_000, run: correctFutureJobs },
  { name: 'key rotation', everyMs: 10_000, run: reseal },
  { name: 'dashboard', everyMs: 5000, run: addTransfers },
  { name: 'catalogue', everyMs: 1000, run: refreshCounts },
  { name: 'catalogue by filter', everyMs: 1000, run: refreshFacets },
  { name: 'invoices', everyMs: 1000, run: expireInvoices },
  ...chains.map((chain) => ({
    name: `chain ${chain}`,
    everyMs: 500,
    run: (ctx: Ctx, signal: AbortSignal) => watchChain(ctx, chain, undefined, signal),
  })),
  { name: 'rates', everyMs: 5000, run: fetchRates },
  { name: 'traffic of the demo', everyMs: 60_000, run: useDemoConnections },
  // Checks whether it is due; the interval is a setting.
  { name: 'reconciliation', everyMs: 1000, run: reconcileWhenDue },
];

/** @returns a function that stops the tasks and waits for those that are running */
export function startPeriodicTasks(ctx: Ctx): () => Promise<void> {
  const loops = periodicTasks.map((task) => startLoop(ctx, task));
  return async () => {
    await Promise.all(loops.map((stop) => stop()));
  };
}

function startLoop(ctx: Ctx, task: PeriodicTask): () => Promise<void> {
  const stopping = new AbortController();
  const finished = (async () => {
    while (!stopping.signal.aborted) {
      // A failed task runs again after its interval.
      await task
        .run(ctx, stopping.signal)
        .catch((error: unknown) => ctx.log.error({ err: error, task: task.name }, 'periodic task failed'));
      await pause(task.everyMs, stopping.signal);
    }
  })();
  return () => {
    stopping.abort();
    return finished;
  };
}

/** Resolves after the time, or as soon as the signal is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return setTimeout(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
