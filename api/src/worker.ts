/** The worker program: jobs of the queue, and the sweeps that keep connections and gateway runs tidy. */
import { Logger, run } from 'graphile-worker';
import { setTimeout as pause } from 'node:timers/promises';
import type { Ctx } from './ctx.ts';
import { runProgram } from './program.ts';
import { startSweeps } from './sweeps.ts';
import { tasks } from './tasks.ts';

/** The runner's own lines, in our log; what it says at each job is for looking for faults. */
const logMethods = { error: 'error', warning: 'warn', info: 'debug', debug: 'debug' } as const;

/** A database that was restarted is back within seconds; a worker that starts just then waits for it. */
const DATABASE_WAIT_MS = 30_000;
const DATABASE_RETRY_MS = 500;

await runProgram('worker', async (ctx) => {
  // With its own connections: the job runner needs the driver's default parsers.
  const runner = await whenDatabaseIsBack(ctx, () =>
    run({
      connectionString: ctx.config.databaseUrl,
      taskList: tasks(ctx),
      concurrency: 4,
      pollInterval: 2000,
      noHandleSignals: true,
      parsedCronItems: [],
      logger: new Logger(() => (level, message) => ctx.log[logMethods[level]](message)),
    }),
  );
  const stopSweeps = startSweeps(ctx);
  return async () => {
    await stopSweeps();
    await runner.stop();
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
