import type { Access } from '@cellhop/contract/gateway';
import type { Connection } from './connection.ts';

/** More changes are hardly told while one authorization is under way; reports tell them again. */
const TOLD_MAX = 1000;

/** Calls to the control plane that may open connections. */
export class Authorizations {
  readonly #running = new Map<string, Promise<Connection>>();
  /** Changes that were told meanwhile: the calls may bring the connections that they are about, as they were before. */
  readonly #toldAccess = new Map<string, Access>();

  /** One call for all who ask the same at the same time. */
  once(key: string, work: () => Promise<Connection>): Promise<Connection> {
    const running = this.#running.get(key);
    if (running) return running;
    const authorization = work().finally(() => {
      this.#running.delete(key);
      if (this.#running.size === 0) this.#toldAccess.clear();
    });
    this.#running.set(key, authorization);
    return authorization;
  }

  /** When those that are under way are over. */
  async over(): Promise<void> {
    await Promise.allSettled(this.#running.values());
  }

  /** Of a connection that is not open here. */
  told(connectionId: string, access: Access): void {
    if (this.#running.size > 0 && this.#toldAccess.size < TOLD_MAX) this.#toldAccess.set(connectionId, access);
  }

  toldAccess(connectionId: string): Access | undefined {
    return this.#toldAccess.get(connectionId);
  }
}
