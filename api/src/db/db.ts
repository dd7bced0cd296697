import { createHash } from 'node:crypto';
import pg from 'pg';
import { acquire, BoundedClient, connectionOptions, isUsableAfter, queryTimeoutMs } from './database-connection.ts';

interface QueryOptions {
  /**
   * False for the few statements whose best plan depends on the values: they are planned each time. All others are prepared
   * once per connection.
   */
  isPrepared?: boolean;
  /** Client-side timeout, shorter than the statement timeout. The connection is dropped when it expires. */
  responseTimeoutMs?: number;
}

export interface TransactionOptions {
  /** Statement timeout, if it needs to be longer than the default. */
  timeLimitMs?: number;
}

/** The pool, or the connection of a transaction; stores do not know which. */
export interface Db {
  query<Row>(text: string, values?: readonly unknown[], options?: QueryOptions): Promise<Row[]>;
}

export interface Database extends Db {
  /** Runs `work` in one transaction: commits when it resolves, rolls back when it rejects. */
  transaction<T>(work: (db: Db) => Promise<T>, options?: TransactionOptions): Promise<T>;
  poolUsage(): PoolUsage;
  /** What works in the background uses the pool until then. */
  beforeClose(end: () => Promise<void>): void;
  close(): Promise<void>;
}

export interface PoolUsage {
  used: number;
  idle: number;
  /** Requests that wait for a connection. */
  waiting: number;
}

const { INT8 } = pg.types.builtins;
/** Parses int8 as bigint. Only for this pool: the job runner's own pool needs the driver's default. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (type: typeof INT8, format?: 'text' | 'binary') =>
    type === INT8 ? BigInt : pg.types.getTypeParser(type, format),
};

const TRANSACTION_ATTEMPTS = 4;
/** serialization_failure and deadlock_detected: the server has rolled back, so the work can be retried. */
const RETRIED_STATES = new Set(['40001', '40P01']);

/** The server refuses a prepared statement before running it, because a migration has changed its result columns. */
export function isStalePlan(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery';
}

/** Default statement timeout. */
const TIME_LIMIT_MS = 8000;
/** Default limit of the wait for a connection of the pool. */
const ACQUIRE_LIMIT_MS = 3000;

export function openDatabase(
  url: string,
  poolSize: number,
  {
    timeLimitMs = TIME_LIMIT_MS,
    acquireLimitMs = ACQUIRE_LIMIT_MS,
    isReadOnly = false,
  }: { timeLimitMs?: number | undefined; acquireLimitMs?: number; isReadOnly?: boolean } = {},
): Database {
  const pool = new pg.Pool({
    ...connectionOptions(url, timeLimitMs, isReadOnly),
    Client: BoundedClient,
    max: poolSize,
    types,
  });
  // The pool replaces connections that break while idle; without a handler the error would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const connect = () => acquire(pool, acquireLimitMs);
  const ends: (() => Promise<void>)[] = [];
  return {
    query: (text, values, options) => retryIfStale(() => runOnce(connect, text, values, options)),
    transaction: (work, options) => transaction(connect, work, options),
    poolUsage: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    beforeClose: (end) => void ends.push(end),
    async close() {
      await Promise.all(ends.map((end) => end()));
      await pool.end();
    },
  };
}

type Connect = () => Promise<pg.PoolClient>;

async function transaction<T>(
  connect: Connect,
  work: (db: Db) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transactOnce(connect, work, options);
    } catch (error) {
      const isRetried = RETRIED_STATES.has(sqlState(error)) || isStalePlan(error);
      if (!isRetried || attempt === TRANSACTION_ATTEMPTS) throw error;
    }
  }
}

async function transactOnce<T>(
  connect: Connect,
  work: (db: Db) => Promise<T>,
  { timeLimitMs }: TransactionOptions,
): Promise<T> {
  const client = await connect();
  const limits = timeLimitMs === undefined ? {} : { responseTimeoutMs: queryTimeoutMs(timeLimitMs) };
  const db: Db = { query: (text, values, options) => run(client, text, values, { ...limits, ...options }) };
  let isBroken = false;
  try {
    // Not set_config(): a query would already decide the isolation level.
    await client.query(
      timeLimitMs === undefined ? 'begin' : `begin; set local statement_timeout = ${Math.ceil(timeLimitMs)}`,
    );
    const result = await work(db);
    await commit(client);
    return result;
  } catch (error) {
    // All prepared statements of the connection may be stale, so it is replaced.
    isBroken = isStalePlan(error) || (error instanceof pg.DatabaseError && !isUsableAfter(error));
    // A connection that cannot roll back is broken too. After a query timeout this fails at once.
    await client.query('rollback').catch(() => (isBroken = true));
    throw error;
  } finally {
    client.release(isBroken);
  }
}

async function commit(client: pg.PoolClient): Promise<void> {
  const { command } = await client.query('commit');
  // If a statement failed and its error was swallowed, PostgreSQL responds to COMMIT with ROLLBACK instead of an error.
  if (command !== 'COMMIT') throw new Error(`the transaction was not committed: the server responded ${command}`);
}

function sqlState(error: unknown): string {
  return (error instanceof pg.DatabaseError && error.code) || '';
}

/** Runs one statement outside a transaction. */
async function runOnce<Row>(
  connect: Connect,
  text: string,
  values?: readonly unknown[],
  options?: QueryOptions,
): Promise<Row[]> {
  const client = await connect();
  let isBroken = false;
  try {
    return await run<Row>(client, text, values, options);
  } catch (error) {
    isBroken = !isUsableAfter(error);
    throw error;
  } finally {
    client.release(isBroken);
  }
}

async function run<Row>(
  client: pg.PoolClient,
  text: string,
  values: readonly unknown[] = [],
  { isPrepared = true, responseTimeoutMs }: QueryOptions = {},
): Promise<Row[]> {
  // The driver supports a timeout per statement, but its type lacks it.
  const query: pg.QueryConfig & { query_timeout?: number } = { text, values: values.map(encode) };
  const generation = statementGeneration;
  if (isPrepared) query.name = `${statementName(text)}.${generation}`;
  if (responseTimeoutMs !== undefined) query.query_timeout = responseTimeoutMs;
  try {
    const result = await client.query(query);
    return result.rows as Row[];
  } catch (error) {
    // Other connections have prepared the same statement, so a new generation of names prepares all again. Of many concurrent
    // failures only the first one increments it.
    if (isStalePlan(error) && generation === statementGeneration) statementGeneration += 1;
    throw error;
  }
}

/** Outside a transaction the statement has not run yet, so it can be sent again. */
async function retryIfStale<T>(query: () => Promise<T>): Promise<T> {
  try {
    return await query();
  } catch (error) {
    if (!isStalePlan(error)) throw error;
    return query();
  }
}

/** Part of the names of prepared statements; incremented when a migration has made them stale. */
let statementGeneration = 0;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Serializes arrays of integers, booleans and UUIDs as PostgreSQL array literals. The driver would escape each element, which
 * is slow for the thousands of elements in a batch of a gateway.
 */
function encode(value: unknown): unknown {
  return Array.isArray(value) && value.every(isPlain) ? `{${value.join(',')}}` : value;
}

function isPlain(item: unknown): boolean {
  return typeof item === 'bigint' || typeof item === 'boolean' || (typeof item === 'string' && UUID.test(item));
}

/** Bounded by the number of statements, because SQL text is static: values are always parameters. */
const statementNames = new Map<string, string>();
function statementName(text: string): string {
  let name = statementNames.get(text);
  if (name === undefined) {
    name = createHash('sha1').update(text).digest('hex');
    statementNames.set(text, name);
  }
  return name;
}
