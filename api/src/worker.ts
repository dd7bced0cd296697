/** The worker program: runs queued jobs and periodic tasks. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Ctx } from './ctx.ts';
import { startJobRunner } from './jobs/job-runner.ts';
import { Mismatch, requireMatch } from './modules/installation/installation.service.ts';
import { runProcess } from './process/process-lifecycle.ts';
import { startPeriodicTasks } from './jobs/periodic-tasks.ts';

/** A worker that starts during a database restart waits for it. */
const DATABASE_WAIT_MS = 30_000;
const DATABASE_RETRY_MS = 500;

await runProcess('worker', async (ctx, fail) => {
  const runner = await retryUntilAvailable(ctx, async () => {
    await requireMatch(ctx);
    return startJobRunner(ctx);
  });
  const stopPeriodicTasks = startPeriodicTasks(ctx);
  let isStopping = false;
  void runner.ended.finally(() => {
    // Otherwise the worker would go on with periodic tasks, but send no mails.
    if (!isStopping) fail('the job runner has stopped unexpectedly');
  });
  return async () => {
    isStopping = true;
    await stopPeriodicTasks();
    await runner.stop();
    await runner.ended;
  };
});

async function retryUntilAvailable<T>(ctx: Ctx, work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + DATABASE_WAIT_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Mismatch || performance.now() > deadline) throw error;
      ctx.log.warn({ err: error }, 'the database does not respond yet');
      await pause(DATABASE_RETRY_MS);
    }
  }
}
