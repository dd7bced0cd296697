import type { Access } from '@cellhop/contract/gateway';
import type { Connection } from './connection.ts';

/** Bounds memory. A change above it is not lost: the response to the next report contains it. */
const CHANGES_MAX = 1000;

/** Authorization requests to the control plane that have not finished. */
export class PendingAuthorizations {
  readonly #requests = new Map<string, Promise<Connection>>();
  /** Changes received during the requests, by connection id: a response may contain the access before the change. */
  readonly #changedAccess = new Map<string, Access>();

  /** Concurrent calls with the same key share one request. */
  share(key: string, start: () => Promise<Connection>): Promise<Connection> {
    const pending = this.#requests.get(key);
    if (pending) return pending;
    const request = start().finally(() => {
      this.#requests.delete(key);
      if (this.#requests.size === 0) this.#changedAccess.clear();
    });
    this.#requests.set(key, request);
    return request;
  }

  /** Resolves when all pending requests have finished or failed. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#requests.values());
  }

  /** Records a change of a connection that is not open in this run. */
  recordChange(connectionId: string, access: Access): void {
    if (this.#requests.size > 0 && this.#changedAccess.size < CHANGES_MAX)
      this.#changedAccess.set(connectionId, access);
  }

  changedAccess(connectionId: string): Access | undefined {
    return this.#changedAccess.get(connectionId);
  }
}
