import { createHash } from 'node:crypto';
import pg from 'pg';
import { BoundedClient, connectionOptions, isDatabaseAway, silenceLimitMs } from './database-connection.ts';

interface QueryOptions {
  /**
   * False for the few statements whose best plan depends on the values: they are planned anew each time.
   * All others are prepared once per connection.
   */
  isPrepared?: boolean;
  /** After this the answer is not waited for any more, and the connection is dropped: less than a statement may take. */
  answerLimitMs?: number;
}

export interface TransactionOptions {
  /** Of each of its statements, where that is more than statements usually take. */
  timeLimitMs?: number;
}

/** A pool or the connection of one transaction; stores do not know which. */
export interface Db {
  query<Row>(text: string, values?: readonly unknown[], options?: QueryOptions): Promise<Row[]>;
}

export interface Database extends Db {
  /** Runs `work` in one transaction: commits when it resolves, rolls back when it rejects. */
  transaction<T>(work: (db: Db) => Promise<T>, options?: TransactionOptions): Promise<T>;
  poolUse(): PoolUse;
  close(): Promise<void>;
}

export interface PoolUse {
  used: number;
  idle: number;
  /** Requests that wait for a connection. */
  waiting: number;
}

const INT8_OID: number = pg.types.builtins.INT8;
/** int8 arrives as bigint, in this pool alone: the job runner's own pool keeps the driver's default. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: 'text') =>
    oid === INT8_OID ? BigInt : pg.types.getTypeParser(oid, format)) as pg.CustomTypesConfig['getTypeParser'],
};

const TRANSACTION_ATTEMPTS = 4;
/** serialization_failure and deadlock_detected: the server has rolled back, the work may simply run again. */
const RETRIED_STATES = new Set(['40001', '40P01']);

/** The server refuses a prepared statement before it runs, because a migration has changed what it returns. */
export function isStalePlan(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery';
}

/** Of a statement, where the program has no limit of its own. */
const TIME_LIMIT_MS = 8000;

export function openDatabase(url: string, poolSize: number, timeLimitMs = TIME_LIMIT_MS): Database {
  const pool = new pg.Pool({
    ...connectionOptions(url, timeLimitMs),
    Client: BoundedClient,
    max: poolSize,
    types,
  });
  // A connection that breaks while idle is replaced by the pool; without a handler it would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return {
    query: (text, values, options) => runAgainIfStale(() => run(pool, text, values, options)),
    transaction: (work, options) => transaction(pool, work, options),
    poolUse: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    close: () => pool.end(),
  };
}

async function transaction<T>(
  pool: pg.Pool,
  work: (db: Db) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transactOnce(pool, work, options);
    } catch (error) {
      const isRetried = RETRIED_STATES.has(stateOf(error)) || isStalePlan(error);
      if (!isRetried || attempt === TRANSACTION_ATTEMPTS) throw error;
    }
  }
}

async function transactOnce<T>(
  pool: pg.Pool,
  work: (db: Db) => Promise<T>,
  { timeLimitMs }: TransactionOptions,
): Promise<T> {
  const client = await pool.connect();
  const limits = timeLimitMs === undefined ? {} : { answerLimitMs: silenceLimitMs(timeLimitMs) };
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
    isBroken = isStalePlan(error) || (isDatabaseAway(error) && stateOf(error) !== STATEMENT_TOO_LONG);
    // What is broken, or full of stale statements, is dropped below, and so is what cannot even roll back.
    if (!isBroken) await client.query('rollback').catch(() => (isBroken = true));
    throw error;
  } finally {
    client.release(isBroken);
  }
}

async function commit(client: pg.PoolClient): Promise<void> {
  const { command } = await client.query('commit');
  // PostgreSQL's answer when a statement has failed and its error was not passed on: ROLLBACK, and no error.
  if (command !== 'COMMIT') throw new Error(`the transaction was not committed: the answer was ${command}`);
}

const STATEMENT_TOO_LONG = '57014';

function stateOf(error: unknown): string {
  return (error instanceof pg.DatabaseError && error.code) || '';
}

async function run<Row>(
  target: pg.Pool | pg.PoolClient,
  text: string,
  values: readonly unknown[] = [],
  { isPrepared = true, answerLimitMs }: QueryOptions = {},
): Promise<Row[]> {
  // The driver takes a time-out for each statement; its type does not know.
  const query: pg.QueryConfig & { query_timeout?: number } = { text, values: values.map(encode) };
  const generation = statementGeneration;
  if (isPrepared) query.name = `${statementName(text)}.${generation}`;
  if (answerLimitMs !== undefined) query.query_timeout = answerLimitMs;
  try {
    const result = await target.query(query);
    return result.rows as Row[];
  } catch (error) {
    // The other connections have prepared the same statement: under new names all are prepared anew. Of many failures
    // at once the first one moves on.
    if (isStalePlan(error) && generation === statementGeneration) statementGeneration += 1;
    throw error;
  }
}

/** Outside a transaction: the statement has not run, so it may simply be sent again. */
async function runAgainIfStale<T>(query: () => Promise<T>): Promise<T> {
  try {
    return await query();
  } catch (error) {
    if (!isStalePlan(error)) throw error;
    return query();
  }
}

/** Part of the names of prepared statements; grows when a migration has changed the tables under them. */
let statementGeneration = 0;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Writes lists of whole numbers and of ids as PostgreSQL reads them. The driver would escape each element like a text,
 * which these do not need, and a batch of a gateway has thousands of them.
 */
function encode(value: unknown): unknown {
  return Array.isArray(value) && value.every(isPlain) ? `{${value.join(',')}}` : value;
}

function isPlain(item: unknown): boolean {
  return typeof item === 'bigint' || typeof item === 'boolean' || (typeof item === 'string' && UUID.test(item));
}

/** SQL text is static here (values are always parameters), so the number of names is the number of statements. */
const statementNames = new Map<string, string>();
function statementName(text: string): string {
  let name = statementNames.get(text);
  if (name === undefined) {
    name = createHash('sha1').update(text).digest('hex');
    statementNames.set(text, name);
  }
  return name;
}
