import { loadConfig, type Config } from './config.ts';
import { createCtx, type Ctx } from './ctx.ts';
import { openDatabase } from './db.ts';
import { createLog } from './log.ts';

/** Users' programs wait 10 seconds for a whole answer; nobody waits for the worker, which reads more at once. */
const STATEMENT_LIMITS_MS = { api: 8000, worker: 15_000 };
/** After this a shutdown that hangs is cut. Whoever supervises a program has to wait longer. */
export const SHUTDOWN_LIMIT_MS = 10_000;

/**
 * The life of a program: reads its settings, opens the database, starts, waits for SIGINT or SIGTERM, stops cleanly. A
 * signal that comes while it starts stops it as soon as it has started.
 * @param start returns what stops the program's own parts. Its `fail` ends the program with an error code: whoever
 *   supervises it starts it again
 */
export async function runProgram(
  name: keyof typeof STATEMENT_LIMITS_MS,
  start: (ctx: Ctx, fail: (reason: string) => void) => Promise<() => Promise<void>>,
): Promise<void> {
  const config = configOrExit();
  const log = createLog(name, config.logLevel, config.isDevelopment && process.stdout.isTTY);
  const timeLimitMs = config.databaseTimeLimitMs ?? STATEMENT_LIMITS_MS[name];
  const database = openDatabase(config.databaseUrl, config.databasePoolSize, timeLimitMs);
  const fail = (reason: string) => {
    log.fatal(reason);
    process.exit(1);
  };
  const starting = start(createCtx(database, config, log), fail);
  let isStopping = false;
  const shutDown = async (signal: string) => {
    // Ctrl-C reaches every process of the group, and a parent passes it on: the second signal changes nothing.
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), SHUTDOWN_LIMIT_MS).unref();
    try {
      const stop = await starting;
      await stop();
      await database.close();
      process.exit(0);
    } catch (error) {
      log.error({ err: error }, 'stopping failed');
      process.exit(1);
    }
  };
  process.on('SIGTERM', () => void shutDown('SIGTERM'));
  process.on('SIGINT', () => {
    // Ctrl-C reaches every program at once, but the gateway must still find the API for its last report: whoever
    // started this one stops it in its turn.
    if (!config.isSupervised) void shutDown('SIGINT');
  });

  try {
    await starting;
  } catch (error) {
    explain(error, config);
    process.exit(1);
  }
}

function configOrExit(): Config {
  try {
    return loadConfig();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}

function explain(error: unknown, config: Config): void {
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
    console.error(
      'port' in error && error.port === config.internalPort
        ? `Port ${config.internalPort} of ${config.internalHost} is taken: stop the other program or set INTERNAL_PORT.`
        : `Port ${config.port} of ${config.host} is taken: stop the other program or set PORT.`,
    );
  else console.error(error);
}
