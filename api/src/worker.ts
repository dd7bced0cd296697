/** The worker program: jobs of the queue, and the sweeps that keep connections and gateway runs tidy. */
import { Logger, run } from 'graphile-worker';
import { runProgram } from './program.ts';
import { startSweeps } from './sweeps.ts';
import { tasks } from './tasks.ts';

/** The runner's own lines, in our log; what it says at each job is for looking for faults. */
const logMethods = { error: 'error', warning: 'warn', info: 'debug', debug: 'debug' } as const;

await runProgram('worker', async (ctx) => {
  // With its own connections: the job runner needs the driver's default parsers.
  const runner = await run({
    connectionString: ctx.config.databaseUrl,
    taskList: tasks(ctx),
    concurrency: 4,
    pollInterval: 2000,
    noHandleSignals: true,
    parsedCronItems: [],
    logger: new Logger(() => (level, message) => ctx.log[logMethods[level]](message)),
  });
  const stopSweeps = startSweeps(ctx);
  return async () => {
    await stopSweeps();
    await runner.stop();
  };
});
