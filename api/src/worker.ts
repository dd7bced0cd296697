/** The worker program: jobs of the queue, and the sweeps that keep connections and gateway runs tidy. */
import { run } from 'graphile-worker';
import { runProgram } from './program.ts';
import { startSweeps } from './sweeps.ts';
import { tasks } from './tasks.ts';

await runProgram('worker', async (ctx) => {
  // With its own connections: the job runner needs the driver's default parsers.
  const runner = await run({
    connectionString: ctx.config.databaseUrl,
    taskList: tasks(ctx),
    concurrency: 4,
    pollInterval: 2000,
    noHandleSignals: true,
    parsedCronItems: [],
  });
  const stopSweeps = startSweeps(ctx);
  return async () => {
    await stopSweeps();
    await runner.stop();
  };
});
