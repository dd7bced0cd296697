import { setTimeout } from 'node:timers/promises';
import type { Ctx } from './ctx.ts';
import { warnOfLowBalances } from './modules/billing/low-balance.service.ts';
import { sweepConnections } from './modules/billing/sweep.service.ts';
import { expireInvoices, watchChain } from './modules/invoices/watch.service.ts';
import { reseal } from './modules/key-rotation/key-rotation.service.ts';
import { reconcileWhenDue } from './modules/reconciliation/reconciliation.service.ts';
import { refreshCounts } from './modules/proxies/proxies.service.ts';
import { chains } from './payments/currencies.ts';

interface Sweep {
  name: string;
  everyMs: number;
  run(ctx: Ctx): Promise<unknown>;
}

/** What time brings about within seconds; the rest is in schedule.ts. Each is safe to run in several workers at once: rows are locked and looked at again. */
const sweeps: Sweep[] = [
  { name: 'connections', everyMs: 1000, run: sweepConnections },
  { name: 'low balances', everyMs: 5000, run: warnOfLowBalances },
  { name: 'key rotation', everyMs: 10_000, run: reseal },
  { name: 'catalogue', everyMs: 1000, run: refreshCounts },
  { name: 'invoices', everyMs: 1000, run: expireInvoices },
  ...chains.map((chain) => ({ name: `chain ${chain}`, everyMs: 500, run: (ctx: Ctx) => watchChain(ctx, chain) })),
  // It looks whether the time has come; the interval is a setting.
  { name: 'reconciliation', everyMs: 1000, run: reconcileWhenDue },
];

/** @returns stops the sweeps; the ones that run are waited for */
export function startSweeps(ctx: Ctx): () => Promise<void> {
  const loops = sweeps.map((sweep) => startLoop(ctx, sweep));
  return async () => {
    await Promise.all(loops.map((stop) => stop()));
  };
}

function startLoop(ctx: Ctx, sweep: Sweep): () => Promise<void> {
  const stopping = new AbortController();
  const finished = (async () => {
    while (!stopping.signal.aborted) {
      // A sweep that fails is tried again at its next turn: the database may be back by then.
      await sweep.run(ctx).catch((error: unknown) => ctx.log.error({ err: error, sweep: sweep.name }, 'sweep failed'));
      await pause(sweep.everyMs, stopping.signal);
    }
  })();
  return () => {
    stopping.abort();
    return finished;
  };
}

/** Resolves after the time, or at once when the signal comes. It leaves no listener behind: the loops run for months. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return setTimeout(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
