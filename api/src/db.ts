import { createHash } from 'node:crypto';
import pg from 'pg';

interface QueryOptions {
  /**
   * False for the few statements whose best plan depends on the values: they are planned anew each time.
   * All others are prepared once per connection.
   */
  isPrepared?: boolean;
}

/** A pool or the connection of one transaction; stores do not know which. */
export interface Db {
  query<Row>(text: string, values?: readonly unknown[], options?: QueryOptions): Promise<Row[]>;
}

export interface Database extends Db {
  /** Runs `work` in one transaction: commits when it resolves, rolls back when it rejects. */
  transaction<T>(work: (db: Db) => Promise<T>): Promise<T>;
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

export function openDatabase(url: string, poolSize: number): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    types,
    connectionTimeoutMillis: 5000,
    // PostgreSQL's default is a spinning disk's: a batch of 500 rows would read whole tables (docs/decisions/0009).
    options: '-c random_page_cost=1.1 -c statement_timeout=15000 -c idle_in_transaction_session_timeout=30000',
  });
  // A connection that breaks while idle is replaced by the pool; without a handler it would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return {
    query: (text, values, options) => runAgainIfStale(() => run(pool, text, values, options)),
    transaction: (work) => transaction(pool, work),
    poolUse: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    close: () => pool.end(),
  };
}

async function transaction<T>(pool: pg.Pool, work: (db: Db) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transactOnce(pool, work);
    } catch (error) {
      const isRetried = error instanceof pg.DatabaseError && RETRIED_STATES.has(error.code ?? '');
      if (!(isRetried || isStalePlan(error)) || attempt === TRANSACTION_ATTEMPTS) throw error;
    }
  }
}

async function transactOnce<T>(pool: pg.Pool, work: (db: Db) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let failure: unknown;
  try {
    await client.query('begin');
    const result = await work({ query: (text, values, options) => run(client, text, values, options) });
    await client.query('commit');
    return result;
  } catch (error) {
    failure = error;
    // A connection that cannot even roll back is broken, and one whose statements are stale is of little use: release()
    // below drops both.
    await client.query('rollback').then(
      () => (failure = isStalePlan(error) ? error : undefined),
      () => {},
    );
    throw error;
  } finally {
    client.release(failure !== undefined);
  }
}

async function run<Row>(
  target: pg.Pool | pg.PoolClient,
  text: string,
  values: readonly unknown[] = [],
  { isPrepared = true }: QueryOptions = {},
): Promise<Row[]> {
  const query: pg.QueryConfig = { text, values: values.map(encode) };
  const generation = statementGeneration;
  if (isPrepared) query.name = `${statementName(text)}.${generation}`;
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
