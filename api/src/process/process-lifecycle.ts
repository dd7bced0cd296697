import { loadConfig, type Config } from './config.ts';
import { createCtx, type Ctx } from '../ctx.ts';
import { watchClock } from '../db/clock.ts';
import { openDatabase } from '../db/db.ts';
import { createLog } from './log.ts';
import { Mismatch } from '../modules/installation/installation.service.ts';

/** Clients time out after 10 seconds. No client waits for the worker, which reads more rows per statement. */
const STATEMENT_LIMITS_MS = { api: 8000, worker: 15_000 };
/** As commands end (`exitCodes`): a supervisor need not try again. */
const WRONG_SETTINGS = 78;
/** After this a hanging shutdown is aborted. A supervisor has to wait longer. */
export const SHUTDOWN_LIMIT_MS = 10_000;

/**
 * Runs a program: loads the settings, opens the database, starts, and shuts down gracefully on SIGINT or SIGTERM. A signal
 * during the start takes effect once it has started.
 * @param start returns a function that stops the program. Its `fail` exits with an error code, so that a supervisor restarts it
 */
export async function runProcess(
  name: keyof typeof STATEMENT_LIMITS_MS,
  start: (ctx: Ctx, fail: (reason: string) => void) => Promise<() => Promise<void>>,
): Promise<void> {
  const config = configOrExit();
  const log = createLog(name, config.logLevel, config.isDevelopment && process.stdout.isTTY);
  const timeLimitMs = config.databaseTimeLimitMs ?? STATEMENT_LIMITS_MS[name];
  const { databaseUrl, databasePoolSize, databaseAcquireLimitMs: acquireLimitMs } = config;
  const database = openDatabase(databaseUrl, databasePoolSize, { timeLimitMs, acquireLimitMs });
  const fail = (reason: string) => {
    log.fatal(reason);
    process.exit(1);
  };
  const ctx = createCtx(database, config, log);
  const stopClock = watchClock(ctx);
  const starting = start(ctx, fail);
  let isStopping = false;
  const shutDown = async (signal: string) => {
    // Ctrl-C reaches every process of the group and the parent forwards it too, so a second signal is ignored.
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), SHUTDOWN_LIMIT_MS).unref();
    try {
      const stop = await starting;
      stopClock();
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
    // Ctrl-C reaches all programs at once, but the gateway still needs the API for its last report. The supervisor stops them
    // in order.
    if (!config.isSupervised) void shutDown('SIGINT');
  });

  try {
    await starting;
  } catch (error) {
    explain(error, config);
    process.exit(error instanceof Mismatch ? WRONG_SETTINGS : 1);
  }
}

function configOrExit(): Config {
  try {
    return loadConfig();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(WRONG_SETTINGS);
  }
}

function explain(error: unknown, config: Config): void {
  if (error instanceof Mismatch) console.error(error.message);
  else if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
    console.error(
      'port' in error && error.port === config.internalPort
        ? `Port ${config.internalPort} of ${config.internalHost} is taken: stop the other program or set INTERNAL_PORT.`
        : `Port ${config.port} of ${config.host} is taken: stop the other program or set PORT.`,
    );
  else console.error(error);
}
