import {
  type Access,
  GATEWAY_WATCH_HELD_MS,
  type PurchaseNetwork,
  type WatchResponse,
} from '@cellhop/contract/gateway';

/** Over all nodes, in this process. */
const LONG_POLLS_MAX = 2000;
/** Each run has one. A node has two runs while a new process takes over from the old one. */
const LONG_POLLS_PER_NODE_MAX = 4;
/** Changes within this time after a response are kept for the next request of the same run. */
const BETWEEN_POLLS_MS = 1000;

/** Changes that a run waits for. */
export interface RunChanges {
  /** The reason by connection, for connections that are ending or have ended. */
  readonly ended?: ReadonlyMap<string, string>;
  /** The new access by connection. */
  readonly changed?: ReadonlyMap<string, Access>;
  readonly areAllowListsChanged?: boolean;
  readonly areDestinationsChanged?: boolean;
  readonly bought?: readonly PurchaseNetwork[];
}

interface LongPoll {
  readonly nodeId: string;
  readonly respond: (changes: RunChanges) => void;
}

interface PollGap {
  readonly nodeId: string;
  readonly until: number;
  readonly changes: readonly RunChanges[];
}

/** Requests of gateways that wait for changes of their connections. Each gets a response, an empty one after the time limit. */
export class LongPolls {
  readonly #byRun = new Map<string, LongPoll>();
  /** Runs that got a response recently and will poll again; the oldest first. */
  readonly #gaps = new Map<string, PollGap>();
  #isClosed = false;

  constructor(private readonly timeoutMs = GATEWAY_WATCH_HELD_MS) {}

  get size(): number {
    return this.#byRun.size;
  }

  /** Runs that wait, and runs that will poll again shortly. */
  get runIds(): string[] {
    this.#removeOldGaps();
    return [...this.#byRun.keys(), ...this.#gaps.keys()];
  }

  runsOfNode(nodeId: string): string[] {
    this.#removeOldGaps();
    return [...this.#byRun, ...this.#gaps].filter(([, run]) => run.nodeId === nodeId).map(([runId]) => runId);
  }

  /** Replaces an earlier request of the same run, which gets an empty response. */
  wait(runId: string, nodeId: string): Promise<RunChanges> {
    this.#respond(runId, {});
    this.#evictOldest(nodeId);
    this.#removeOldGaps();
    const missed = this.#gaps.get(runId)?.changes ?? [];
    this.#gaps.delete(runId);
    if (missed.length > 0) return Promise.resolve(combine(missed));
    if (this.#isClosed || this.#byRun.size >= LONG_POLLS_MAX) return Promise.resolve({});
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#respond(runId, {}), this.timeoutMs);
      const respond = (changes: RunChanges) => {
        clearTimeout(timer);
        resolve(changes);
      };
      this.#byRun.set(runId, { nodeId, respond });
    });
  }

  /** Responds to the request of a run, or keeps the changes for its next request if that is expected shortly. */
  respond(runId: string, changes: RunChanges): void {
    const gap = this.#gaps.get(runId);
    if (this.#byRun.has(runId)) this.#respond(runId, changes);
    else if (gap) this.#gaps.set(runId, { ...gap, changes: [...gap.changes, changes] });
  }

  /** Sends an empty response to all, so that gateways poll again. */
  respondToAll(): void {
    for (const runId of this.#byRun.keys()) this.#respond(runId, {});
  }

  /** Later requests get an empty response at once. */
  close(): void {
    this.#isClosed = true;
    this.respondToAll();
  }

  #respond(runId: string, changes: RunChanges): void {
    const poll = this.#byRun.get(runId);
    if (!poll) return;
    this.#byRun.delete(runId);
    if (this.#gaps.size < LONG_POLLS_MAX)
      this.#gaps.set(runId, { ...poll, until: performance.now() + BETWEEN_POLLS_MS, changes: [] });
    poll.respond(changes);
  }

  #removeOldGaps(): void {
    const now = performance.now();
    for (const [runId, { until }] of this.#gaps) if (until <= now) this.#gaps.delete(runId);
  }

  #evictOldest(nodeId: string): void {
    const ofNode = [...this.#byRun].filter(([, poll]) => poll.nodeId === nodeId);
    const excess = Math.max(0, ofNode.length + 1 - LONG_POLLS_PER_NODE_MAX);
    for (const [runId] of ofNode.slice(0, excess)) this.#respond(runId, {});
  }
}

function combine(all: readonly RunChanges[]): RunChanges {
  return {
    ended: new Map(all.flatMap(({ ended }) => [...(ended ?? [])])),
    changed: new Map(all.flatMap(({ changed }) => [...(changed ?? [])])),
    areAllowListsChanged: all.some(({ areAllowListsChanged }) => areAllowListsChanged),
    areDestinationsChanged: all.some(({ areDestinationsChanged }) => areDestinationsChanged),
    bought: all.flatMap(({ bought }) => bought ?? []),
  };
}

export function toWatchResponse({
  ended = new Map(),
  changed = new Map(),
  areAllowListsChanged,
  areDestinationsChanged,
  bought = [],
}: RunChanges): WatchResponse {
  return {
    ended: [...ended.keys()],
    ...(ended.size > 0 && { reasons: Object.fromEntries(ended) }),
    ...(changed.size > 0 && { changed: [...changed].map(([connectionId, access]) => ({ connectionId, access })) }),
    ...(areAllowListsChanged && { areAllowListsChanged }),
    ...(areDestinationsChanged && { areDestinationsChanged }),
    ...(bought.length > 0 && { bought: [...bought] }),
  };
}
