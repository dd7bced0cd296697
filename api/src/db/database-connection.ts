/** The only place that opens connections to the database. Every wait has a timeout, also if the network drops packets. */
import pg from 'pg';

/**
 * Longer than requests wait. Otherwise a server under load, for example after its restart, would never complete a connection
 * before the client gives up and tries again.
 */
const CONNECT_LIMIT_MS = 10_000;
/** The server cancels slow statements. If there is no response this much later, the connection is considered broken. */
const SILENCE_GRACE_MS = 1000;
const CLOSE_LIMIT_MS = 1000;
const KEEP_ALIVE_DELAY_MS = 5000;

/**
 * Timeouts of the server, which may lose its client too: an abandoned transaction would keep its locks. PostgreSQL's defaults
 * are no limit, or hours.
 */
const SERVER_LIMITS = {
  // Transactions wait for nothing but the database.
  idle_in_transaction_session_timeout: '10s',
  // Pools close connections that are idle for 10 seconds, so an older idle session has lost its client.
  idle_session_timeout: '60s',
  client_connection_check_interval: '5s',
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '20s',
};

/**
 * Options of every pool and every single connection.
 * @param timeLimitMs the statement timeout of the server
 * @param isReadOnly refuses statements that change something
 */
export function connectionOptions(url: string, timeLimitMs: number, isReadOnly = false): pg.ClientConfig {
  const settings = {
    ...(isReadOnly ? { default_transaction_read_only: 'on' } : {}),
    // PostgreSQL's default is for spinning disks: with it a batch of 500 rows scans whole tables (docs/decisions/0009).
    random_page_cost: '1.1',
    statement_timeout: String(timeLimitMs),
    ...SERVER_LIMITS,
  };
  return {
    connectionString: url,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    query_timeout: queryTimeoutMs(timeLimitMs),
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  };
}

/** `tcp://host:port` of the database, without its secrets. */
export function databaseEndpoint(url: string): string {
  const { hostname, port } = new URL(url);
  return `tcp://${hostname || 'localhost'}:${port || '5432'}`;
}

/** The client-side timeout of a statement with this server-side timeout. */
export function queryTimeoutMs(timeLimitMs: number): number {
  return timeLimitMs + SILENCE_GRACE_MS;
}

const ACQUIRE_TIMEOUT = 'no connection to the database became free in time';
/** Errors of the driver, which have no code. */
const QUERY_TIMEOUT = 'Query read timeout';
const CONNECTION_ERRORS = new Set([
  ACQUIRE_TIMEOUT,
  QUERY_TIMEOUT,
  'timeout expired',
  'timeout exceeded when trying to connect',
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
]);

/**
 * Works around two problems of the driver. After a query timeout it keeps the connection, where the next statement waits behind
 * the lost one. And `end` waits without a limit until the server closes the connection. This client ends or destroys the connection
 * in both cases, so that pools drop it. Both methods take a callback or return a promise, like the driver's.
 */
export class BoundedClient extends pg.Client {
  override query(...given: any[]): any {
    const result: unknown = super.query(...(given as [any]));
    if (result instanceof Promise)
      result.catch((error: unknown) => {
        if (error instanceof Error && error.message === QUERY_TIMEOUT) void this.end();
      });
    return result;
  }

  override end(...given: any[]): any {
    const timer = setTimeout(() => this.connection.stream.destroy(), CLOSE_LIMIT_MS).unref();
    this.once('end', () => clearTimeout(timer));
    return super.end(...(given as [any]));
  }
}

/** Acquires a connection, which the caller must release. @throws Error when none becomes free within the limit */
export function acquire(pool: pg.Pool, limitMs: number): Promise<pg.PoolClient> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      reject(new Error(ACQUIRE_TIMEOUT));
    }, limitMs);
    pool.connect((error, client) => {
      clearTimeout(timer);
      if (!client) reject(error ?? new Error(ACQUIRE_TIMEOUT));
      // The request has already failed; the next one can use the connection.
      else if (isLate) client.release();
      else resolve(client);
    });
  });
}

/** Codes of socket and DNS errors. An AggregateError of several addresses has no other code either. */
const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/**
 * SQLSTATE class 08: connection lost; 53: out of connections, memory or disk; 57: the server is shutting down or starting, or
 * a statement timed out; 25006: the server has become a read-only standby.
 */
const UNAVAILABLE_STATE = /^(?:08|53|57|25006)/;

/**
 * True for temporary errors: the database is unreachable, does not respond, starts, stops, is overloaded, or has become a
 * standby.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return UNAVAILABLE_STATE.test(error.code ?? '');
  if (!(error instanceof Error)) return false;
  return CONNECTION_ERRORS.has(error.message) || ('code' in error && NETWORK_CODES.has(String(error.code)));
}

const STATEMENT_TOO_LONG = '57014';

/** False if the connection is or may be broken; then the pool drops it. */
export function isUsableAfter(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  return error.code === STATEMENT_TOO_LONG || !isDatabaseUnavailable(error);
}
