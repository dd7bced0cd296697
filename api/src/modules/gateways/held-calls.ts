import type { Access, WatchAnswer } from '@cellhop/contract/gateway';
import { GATEWAY_WATCH_HELD_MS } from '@cellhop/contract/gateway';

/** Of all nodes in this process. */
const HELD_MAX = 2000;
/** One for each run; a node has two runs while a new process takes over from an old one. */
const HELD_PER_NODE_MAX = 4;
/** What happens so soon after an answer is kept for the next call of the same run. */
const BETWEEN_CALLS_MS = 1000;

/** What a run is told. */
export interface News {
  /** Connections that are to end, and why. */
  readonly ended?: ReadonlyMap<string, string>;
  /** Who may use a connection now. */
  readonly changed?: ReadonlyMap<string, Access>;
  readonly areAllowListsChanged?: boolean;
}

interface HeldCall {
  readonly nodeId: string;
  readonly answer: (news: News) => void;
}

interface Pause {
  readonly until: number;
  readonly news: readonly News[];
}

/** Calls of gateways that wait for news of their connections. Each is answered, with nothing when its time is over. */
export class HeldCalls {
  readonly #byRun = new Map<string, HeldCall>();
  /** Runs that were answered a moment ago and will call again; the oldest first. */
  readonly #pauses = new Map<string, Pause>();
  #isClosed = false;

  constructor(private readonly heldMs = GATEWAY_WATCH_HELD_MS) {}

  get size(): number {
    return this.#byRun.size;
  }

  /** Of those that wait, and of those that will call again in a moment. */
  get runIds(): string[] {
    this.#forgetPauses();
    return [...this.#byRun.keys(), ...this.#pauses.keys()];
  }

  /** An earlier call of the same run is answered: nobody waits for it any more. */
  hold(runId: string, nodeId: string): Promise<News> {
    this.#answer(runId, {});
    this.#makeRoom(nodeId);
    this.#forgetPauses();
    const missed = this.#pauses.get(runId)?.news ?? [];
    this.#pauses.delete(runId);
    if (missed.length > 0) return Promise.resolve(together(missed));
    if (this.#isClosed || this.#byRun.size >= HELD_MAX) return Promise.resolve({});
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#answer(runId, {}), this.heldMs);
      const answer = (news: News) => {
        clearTimeout(timer);
        resolve(news);
      };
      this.#byRun.set(runId, { nodeId, answer });
    });
  }

  /** Answers the call of a run, or keeps it for the next one if that comes soon. */
  tell(runId: string, news: News): void {
    const pause = this.#pauses.get(runId);
    if (this.#byRun.has(runId)) this.#answer(runId, news);
    else if (pause) this.#pauses.set(runId, { ...pause, news: [...pause.news, news] });
  }

  /** Whoever waits looks again. */
  release(): void {
    for (const runId of this.#byRun.keys()) this.#answer(runId, {});
  }

  /** Nothing is held any more. */
  close(): void {
    this.#isClosed = true;
    this.release();
  }

  #answer(runId: string, news: News): void {
    const call = this.#byRun.get(runId);
    if (!call) return;
    this.#byRun.delete(runId);
    if (this.#pauses.size < HELD_MAX)
      this.#pauses.set(runId, { until: performance.now() + BETWEEN_CALLS_MS, news: [] });
    call.answer(news);
  }

  #forgetPauses(): void {
    const now = performance.now();
    for (const [runId, { until }] of this.#pauses) if (until <= now) this.#pauses.delete(runId);
  }

  #makeRoom(nodeId: string): void {
    const ofNode = [...this.#byRun].filter(([, call]) => call.nodeId === nodeId);
    for (const [runId] of ofNode.slice(0, Math.max(0, ofNode.length + 1 - HELD_PER_NODE_MAX))) this.#answer(runId, {});
  }
}

function together(all: readonly News[]): News {
  return {
    ended: new Map(all.flatMap(({ ended }) => [...(ended ?? [])])),
    changed: new Map(all.flatMap(({ changed }) => [...(changed ?? [])])),
    areAllowListsChanged: all.some(({ areAllowListsChanged }) => areAllowListsChanged),
  };
}

export function toWatchAnswer({ ended = new Map(), changed = new Map(), areAllowListsChanged }: News): WatchAnswer {
  return {
    ended: [...ended.keys()],
    ...(ended.size > 0 && { reasons: Object.fromEntries(ended) }),
    ...(changed.size > 0 && { changed: [...changed].map(([connectionId, access]) => ({ connectionId, access })) }),
    ...(areAllowListsChanged && { areAllowListsChanged }),
  };
}
