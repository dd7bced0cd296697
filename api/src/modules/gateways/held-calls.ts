import { GATEWAY_WATCH_HELD_MS } from '@cellhop/contract/gateway';

/** Of all nodes in this process. */
const HELD_MAX = 2000;
/** One for each run; a node has two runs while a new process takes over from an old one. */
const HELD_PER_NODE_MAX = 4;

interface HeldCall {
  readonly nodeId: string;
  readonly answer: (connectionIds: string[]) => void;
}

/** Calls of gateways that wait for connections to end. Each is answered, with nothing when its time is over. */
export class HeldCalls {
  readonly #byRun = new Map<string, HeldCall>();
  #isClosed = false;

  constructor(private readonly heldMs = GATEWAY_WATCH_HELD_MS) {}

  get size(): number {
    return this.#byRun.size;
  }

  get runIds(): string[] {
    return [...this.#byRun.keys()];
  }

  /** An earlier call of the same run is answered: nobody waits for it any more. */
  hold(runId: string, nodeId: string): Promise<string[]> {
    this.answer(runId, []);
    this.#makeRoom(nodeId);
    if (this.#isClosed || this.#byRun.size >= HELD_MAX) return Promise.resolve([]);
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.answer(runId, []), this.heldMs);
      const answer = (connectionIds: string[]) => {
        clearTimeout(timer);
        resolve(connectionIds);
      };
      this.#byRun.set(runId, { nodeId, answer });
    });
  }

  answer(runId: string, connectionIds: string[]): void {
    const call = this.#byRun.get(runId);
    this.#byRun.delete(runId);
    call?.answer(connectionIds);
  }

  /** Whoever waits looks again. */
  release(): void {
    for (const runId of this.runIds) this.answer(runId, []);
  }

  /** Nothing is held any more. */
  close(): void {
    this.#isClosed = true;
    this.release();
  }

  #makeRoom(nodeId: string): void {
    const ofNode = [...this.#byRun].filter(([, call]) => call.nodeId === nodeId);
    for (const [runId] of ofNode.slice(0, Math.max(0, ofNode.length + 1 - HELD_PER_NODE_MAX))) this.answer(runId, []);
  }
}
