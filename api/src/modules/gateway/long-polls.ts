import { GATEWAY_WATCH_HELD_MS } from '@cellhop/contract/gateway';

/** Over all nodes, in this process. */
const LONG_POLLS_MAX = 2000;
/** Each run has one. A node has two runs while a new process takes over from the old one. */
const LONG_POLLS_PER_NODE_MAX = 4;

interface LongPoll {
  readonly nodeId: string;
  readonly respond: (connectionIds: string[]) => void;
}

/** Requests of gateways that wait for connections to end. Each gets a response, an empty one after the time limit. */
export class LongPolls {
  readonly #byRun = new Map<string, LongPoll>();
  #isClosed = false;

  constructor(private readonly timeoutMs = GATEWAY_WATCH_HELD_MS) {}

  get size(): number {
    return this.#byRun.size;
  }

  get runIds(): string[] {
    return [...this.#byRun.keys()];
  }

  /** Replaces an earlier request of the same run, which gets an empty response. */
  wait(runId: string, nodeId: string): Promise<string[]> {
    this.respond(runId, []);
    this.#evictOldest(nodeId);
    if (this.#isClosed || this.#byRun.size >= LONG_POLLS_MAX) return Promise.resolve([]);
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.respond(runId, []), this.timeoutMs);
      const respond = (connectionIds: string[]) => {
        clearTimeout(timer);
        resolve(connectionIds);
      };
      this.#byRun.set(runId, { nodeId, respond });
    });
  }

  respond(runId: string, connectionIds: string[]): void {
    const poll = this.#byRun.get(runId);
    this.#byRun.delete(runId);
    poll?.respond(connectionIds);
  }

  /** Sends an empty response to all, so that gateways poll again. */
  respondToAll(): void {
    for (const runId of this.runIds) this.respond(runId, []);
  }

  /** Later requests get an empty response at once. */
  close(): void {
    this.#isClosed = true;
    this.respondToAll();
  }

  #evictOldest(nodeId: string): void {
    const ofNode = [...this.#byRun].filter(([, poll]) => poll.nodeId === nodeId);
    const excess = Math.max(0, ofNode.length + 1 - LONG_POLLS_PER_NODE_MAX);
    for (const [runId] of ofNode.slice(0, excess)) this.respond(runId, []);
  }
}
