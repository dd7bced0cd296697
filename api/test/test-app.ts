import { type Call } from '@cellhop/contract/client';
import type { FastifyInstance } from 'fastify';
import type { AddressInfo } from 'node:net';
import { buildApp } from '../src/app.ts';
import { loadConfig, type Config } from '../src/process/config.ts';
import { createCtx, type Ctx } from '../src/ctx.ts';
import { openDatabase, type Database } from '../src/db/db.ts';
import { createLog, type Log } from '../src/process/log.ts';
import { seedRoles } from '../src/seed/roles.ts';
import { rememberContent, restoreContent } from './database-content.ts';
import { StaffWrites } from './staff-writes.ts';
import { borrowDatabase, openOwnDatabase } from './worker-database.ts';
import { createTestClient } from './test-client.ts';

export interface TestApp {
  app: FastifyInstance;
  ctx: Ctx;
  database: Database;
  /** Origin of the listening server. */
  url: string;
  /** Calls without a token; users made by the factories have their own. */
  call: Call;
  /**
   * For `beforeEach`, where each test needs a database without rows of the others: the first call remembers the content of the
   * database and the settings, the following ones restore them. It takes a twentieth of the time of a new app.
   */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * The real application, listening on a free port. Its database contains what migrations and seeds insert, and nobody else uses it
 * meanwhile.
 * @param log default: silent
 */
export async function startTestApp(overrides: Partial<Config> = {}, log?: Log): Promise<TestApp> {
  const config = (url: string): Config => ({ ...testConfig(url), ...overrides });
  const open = (url: string) => openPool(config(url));
  const seed = async (url: string, database: Database) =>
    seedRoles(createCtx(database, config(url), createLog('test', 'silent', false)));
  const hasOwnPool = Object.keys(overrides).some((name) => name.startsWith('database'));
  const { url, database, giveBack } = await (hasOwnPool ? openOwnDatabase : borrowDatabase)(open, seed);
  return serve(config(url), database, giveBack, log);
}

/** Starts another API process on the database of the first one. */
export function startSecondApp(first: TestApp, overrides: Partial<Config> = {}): Promise<TestApp> {
  const config = { ...first.ctx.config, ...overrides };
  const database = openPool(config);
  return serve(config, database, () => database.close());
}

const openPool = (config: Config): Database =>
  openDatabase(config.databaseUrl, config.databasePoolSize, {
    timeLimitMs: config.databaseTimeLimitMs,
    acquireLimitMs: config.databaseAcquireLimitMs,
  });

async function serve(
  config: Config,
  database: Database,
  close: () => Promise<void>,
  log = createLog('test', config.logLevel, false),
): Promise<TestApp> {
  const ctx = createCtx(database, config, log);
  const app = await buildApp(ctx);
  const staffWrites = new StaffWrites();
  staffWrites.watch(app);
  await app.listen({ host: '127.0.0.1', port: 0 });
  // Otherwise a stream that a test opens may get `refetch` in place of the events before it.
  await app.liveEventsReady;
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  let remembered: Config | undefined;
  return {
    app,
    ctx,
    database,
    url,
    call: createTestClient({ baseUrl: url }),
    reset: async () => {
      await staffWrites.check(database);
      if (remembered) await restoreContent(database, 'remembered');
      else await rememberContent(database, 'remembered');
      remembered ??= copyOf(config);
      Object.assign(config, copyOf(remembered));
    },
    stop: async () => {
      await app.close();
      try {
        await staffWrites.check(database);
      } finally {
        await close();
      }
    },
  };
}

/** With settings of payments of its own, because tests change them. */
const copyOf = (config: Config): Config => ({ ...config, payments: { ...config.payments } });

function testConfig(databaseUrl: string): Config {
  return loadConfig({
    DATABASE_URL: databaseUrl,
    // On a busy machine, concurrent requests of tests take longer than the default limits.
    DATABASE_POOL_TIMEOUT_SECONDS: '60',
    // Each new connection costs a tenth of a second of processor time until it has planned its first statements.
    DATABASE_POOL_SIZE: '8',
    DATABASE_TIMEOUT_SECONDS: '60',
    SECRET_KEY: 'a secret key for tests of at least 32 characters',
    GATEWAY_TOKEN: GATEWAY_TOKEN,
    LOG_LEVEL: 'silent',
    PUBLIC_URL: 'http://localhost:3000',
  });
}

export const GATEWAY_TOKEN = 'gateway-token-of-the-tests';
