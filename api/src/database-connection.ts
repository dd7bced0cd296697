/** How connections to the database are made: every wait on one of them ends, also when the network falls silent. */
import pg from 'pg';

/** A connection that is not made, or does not become free, in this time: the request is refused. */
const ACQUIRE_LIMIT_MS = 3000;
/** The server cancels a statement that takes too long; this much later nobody listens any more at the other end. */
const SILENCE_GRACE_MS = 1000;
const GOODBYE_LIMIT_MS = 1000;
const KEEP_ALIVE_DELAY_MS = 5000;

/**
 * What the server does by itself, because it may be cut off from a program too: a transaction that goes on for nobody
 * would hold its locks. Where it differs from PostgreSQL's default, the default is no limit, or hours.
 */
const SERVER_LIMITS = {
  // Nothing is waited for inside of a transaction but the database.
  idle_in_transaction_session_timeout: '10s',
  // Pools close what is idle for 10 seconds: a session as old as this has lost its program.
  idle_session_timeout: '60s',
  client_connection_check_interval: '5s',
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '20s',
};

/**
 * The options of every pool and every single connection.
 * @param timeLimitMs of one statement, at the server
 */
export function connectionOptions(url: string, timeLimitMs: number): pg.ClientConfig {
  const settings = {
    // PostgreSQL's default is a spinning disk's: a batch of 500 rows would read whole tables (docs/decisions/0009).
    random_page_cost: '1.1',
    statement_timeout: String(timeLimitMs),
    ...SERVER_LIMITS,
  };
  return {
    connectionString: url,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    connectionTimeoutMillis: ACQUIRE_LIMIT_MS,
    query_timeout: silenceLimitMs(timeLimitMs),
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  };
}

/** How long an answer is waited for that the server gives within the limit, or not at all. */
export function silenceLimitMs(timeLimitMs: number): number {
  return timeLimitMs + SILENCE_GRACE_MS;
}

/** The driver's own errors, which have no code. */
const QUERY_TIMEOUT = 'Query read timeout';
const CONNECTION_ERRORS = new Set([
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
 * The driver gives up a statement that gets no answer, but keeps the connection, where the next statement would wait behind
 * it; and it waits for ever until the other side has taken its goodbye. This client ends the connection in both cases, so a
 * pool drops it, whoever gives it back. Both methods take a callback or answer with a promise, as the driver's do.
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
    const timer = setTimeout(() => this.connection.stream.destroy(), GOODBYE_LIMIT_MS).unref();
    this.once('end', () => clearTimeout(timer));
    return super.end(...(given as [any]));
  }
}

/** What sockets and name servers say; a database with several addresses gives no more than this code either. */
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
 * a statement took too long; 25006: the server is a standby by now.
 */
const AWAY_STATE = /^(?:08|53|57|25006)/;

/**
 * True for what the same statement may not meet a little later: the database cannot be reached, does not answer, starts,
 * stops, is overloaded, or has become a standby.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return AWAY_STATE.test(error.code ?? '');
  if (!(error instanceof Error)) return false;
  return CONNECTION_ERRORS.has(error.message) || ('code' in error && NETWORK_CODES.has(String(error.code)));
}
