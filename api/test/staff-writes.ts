import type { FastifyInstance } from 'fastify';
import type { Database } from '../src/db/db.ts';
import { neededPermission } from './permission-table.ts';

/** Reads that use POST because they need a body, and the order of a check, which changes nothing by itself. */
const unrecorded: ReadonlySet<string> = new Set([
  'POST /v1/notifications/admin/broadcasts/recipients',
  'POST /v1/proxies/admin/exits/{id}/check',
]);

/**
 * Checks that writes of staff leave an entry in the audit log. For each endpoint of staff that a test file calls successfully, at
 * least one of these requests must have an entry: a repeated request with the same idempotency key leaves none. Where each test
 * gets a database without rows of the others, this holds for each test.
 */
export class StaffWrites {
  readonly #requestIds = new Map<string, string[]>();

  /** Call it before the server listens. */
  watch(app: FastifyInstance): void {
    app.addHook('onResponse', async ({ method, routeOptions, id }, { statusCode }) => {
      const endpoint = `${method} ${routeOptions.url?.replaceAll(/:(\w+)/g, '{$1}')}`;
      if (method === 'GET' || statusCode >= 300 || neededPermission(endpoint) === undefined || unrecorded.has(endpoint))
        return;
      this.#requestIds.set(endpoint, [...(this.#requestIds.get(endpoint) ?? []), id]);
    });
  }

  /** Checks the requests since the last call. @throws Error with the endpoints without an entry */
  async check(database: Database): Promise<void> {
    const silent: string[] = [];
    const requested = [...this.#requestIds];
    this.#requestIds.clear();
    for (const [endpoint, requestIds] of requested) {
      const entries = await database.query('select from audit_log where request_id = any($1)', [requestIds]);
      if (entries.length === 0) silent.push(endpoint);
    }
    if (silent.length > 0) throw new Error(`writes of staff without an entry in the audit log: ${silent.join(', ')}`);
  }
}
