/** The worker program: jobs of the queue, and the sweeps that keep connections and gateway runs tidy. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Ctx } from './ctx.ts';
import { startJobRunner } from './job-runner.ts';
import { runProgram } from './program.ts';
import { startSweeps } from './sweeps.ts';

/** A database that was restarted is back within seconds; a worker that starts just then waits for it. */
const DATABASE_WAIT_MS = 30_000;
const DATABASE_RETRY_MS = 500;

await runProgram('worker', async (ctx, fail) => {
  const runner = await whenDatabaseIsBack(ctx, () => startJobRunner(ctx));
  const stopSweeps = startSweeps(ctx);
  let isStopping = false;
  void runner.ended
    .catch((error: unknown) => ctx.log.error({ err: error }, 'the job runner has ended'))
    .then(() => {
      // Sweeps alone would look like a worker, and no mail would leave.
      if (!isStopping) fail('the job runner has ended by itself');
    });
  return async () => {
    isStopping = true;
    await stopSweeps();
    await runner.stop();
    await runner.ended;
  };
});

async function whenDatabaseIsBack<T>(ctx: Ctx, work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + DATABASE_WAIT_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      ctx.log.warn({ err: error }, 'the database does not answer yet');
      await pause(DATABASE_RETRY_MS);
    }
  }
}
