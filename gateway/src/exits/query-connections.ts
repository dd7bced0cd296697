import type { Socket } from 'node:net';
import type { Limits } from '../limits.ts';
import type { Answer } from '../protocol/dns.ts';
import { TunnelFailure } from '../statuses.ts';
import { QueryConnection } from './query-connection.ts';
import type { NameServer, UpstreamEvent } from './query-socket.ts';

/** Limit and metrics of the sockets to name servers, shared by all exits. */
export interface UpstreamBudget {
  readonly socketsMax: number;
  sockets: number;
  readonly onEvent: (event: UpstreamEvent) => void;
}

export interface QueryConnectionsSettings {
  readonly limits: Pick<Limits, 'dnsUpstreamTcpQuestions' | 'dnsUpstreamTcpIdleMs'>;
  readonly budget: UpstreamBudget;
  /** @throws TunnelFailure */
  readonly dial: (server: NameServer, timeoutMs: number) => Promise<Socket>;
}

/** Creates the question that is sent, with an id that is not in use. */
type CreateQuestion = (connection: Pick<QueryConnection, 'isAsking'>) => Buffer;

/** The TCP connections of an exit to its name servers. One serves many questions; there is another only if it is full. */
export class QueryConnections {
  readonly #open = new Map<QueryConnection, NameServer>();

  constructor(private readonly settings: QueryConnectionsSettings) {}

  /**
   * Asks once more, on a new connection, if the name server closed the connection before it answered: it may have been idle for too
   * long, or serve one question per connection.
   * @throws TunnelFailure
   */
  async ask(server: NameServer, createQuestion: CreateQuestion, timeoutMs: number): Promise<Answer> {
    const deadline = performance.now() + timeoutMs;
    const { limits } = this.settings;
    const shared = this.#find(server) ?? this.#connect(server, timeoutMs, limits.dnsUpstreamTcpQuestions);
    const answer = await shared.ask(createQuestion(shared), timeoutMs);
    if (answer !== 'closed') return answer;
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) throw new TunnelFailure('dns-timeout');
    const own = this.#connect(server, leftMs, 1);
    const again = await own.ask(createQuestion(own), leftMs);
    if (again === 'closed') throw new TunnelFailure('dns-timeout');
    return again;
  }

  close(): void {
    for (const connection of this.#open.keys()) connection.close();
  }

  #find(server: NameServer): QueryConnection | undefined {
    for (const [connection, to] of this.#open) if (to === server && connection.takesQuestions) return connection;
    return undefined;
  }

  /** @throws TunnelFailure if the node has too many sockets */
  #connect(server: NameServer, timeoutMs: number, questionsMax: number): QueryConnection {
    const { budget, dial, limits } = this.settings;
    if (budget.sockets >= budget.socketsMax) throw new TunnelFailure('exit-unavailable');
    budget.sockets += 1;
    const connection: QueryConnection = new QueryConnection({
      questionsMax,
      idleMs: limits.dnsUpstreamTcpIdleMs,
      onEvent: budget.onEvent,
      onClosed: () => {
        budget.sockets -= 1;
        this.#open.delete(connection);
      },
    });
    this.#open.set(connection, server);
    connection.open(dial(server, timeoutMs));
    return connection;
  }
}
