import type { ClientSocket } from './client-socket.ts';

/** In this order, sockets of a full group are evicted; within each kind, the oldest first. */
const KINDS = ['silent', 'speaking', 'known'] as const;
type Kind = (typeof KINDS)[number];

/**
 * Sockets without valid credentials that share a limit. Attacks have no round trips, distant customers have several until their password
 * arrives: so sockets that have sent nothing are evicted first, and those of networks where a client has authenticated last.
 */
export class HalfOpenGroup {
  readonly #byKind: Readonly<Record<Kind, Set<ClientSocket>>> = {
    silent: new Set(),
    speaking: new Set(),
    known: new Set(),
  };

  get size(): number {
    return this.#byKind.silent.size + this.#byKind.speaking.size + this.#byKind.known.size;
  }

  /** The socket that has to leave for a new one. */
  get first(): ClientSocket | undefined {
    for (const kind of KINDS) for (const client of this.#byKind[kind]) return client;
    return undefined;
  }

  join(client: ClientSocket, isKnown: boolean): void {
    this.#byKind[isKnown ? 'known' : 'silent'].add(client);
  }

  /** The socket is not silent any more. */
  spoke(client: ClientSocket): void {
    if (this.#byKind.silent.delete(client)) this.#byKind.speaking.add(client);
  }

  leave(client: ClientSocket): void {
    for (const kind of KINDS) this.#byKind[kind].delete(client);
  }
}
