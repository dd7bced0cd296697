/** The open event streams of this process, and their subscriptions. */
import { staffTopics, type LiveTopic, type StaffTopic } from '@cellhop/contract/live.values';
import { type LiveEventName } from '@cellhop/contract/live';
import type { Permission } from '@cellhop/contract/permissions';
import type { ServerResponse } from 'node:http';
import type { GatewayTopic, Topic } from './changes.ts';

/** The part of the response that a stream uses. */
export type Sink = Pick<ServerResponse, 'write' | 'end' | 'destroy' | 'once' | 'writableNeedDrain'>;

export interface StreamOwner {
  userId: string;
  accountId: bigint;
  sessionId: string;
  /** When the stream was opened. A stream lives no longer than its access token, and events contain no data. */
  permissions: ReadonlySet<Permission>;
}

export class Stream {
  /** Topics that wait until the client has read earlier events. */
  readonly #pending = new Set<LiveTopic | StaffTopic>();
  #mustRefetch = false;
  #isStuck = false;

  constructor(
    readonly owner: StreamOwner,
    private readonly sink: Sink,
  ) {}

  send(name: LiveEventName, data: unknown = {}): void {
    this.#write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  sendChanged(topics: Iterable<LiveTopic | StaffTopic>): void {
    for (const topic of topics) this.#pending.add(topic);
    this.#flush();
  }

  refetch(): void {
    this.#mustRefetch = true;
    this.#flush();
  }

  /** Sends a comment, which keeps proxies from closing the connection. Closes clients that have read nothing since the last one. */
  keepAlive(): void {
    if (this.#isStuck && this.sink.writableNeedDrain) return void this.sink.destroy();
    this.#isStuck = this.sink.writableNeedDrain;
    if (!this.#isStuck) this.#write(': alive\n\n');
  }

  /** The client may reconnect with a new token. */
  end(): void {
    // Ending gracefully would wait for unread events and delay the shutdown of the server.
    if (this.sink.writableNeedDrain) this.sink.destroy();
    else this.sink.end();
  }

  /** Slow clients get merged events instead of a longer queue. */
  #flush(): void {
    if (this.sink.writableNeedDrain) return;
    if (this.#mustRefetch) this.send('refetch');
    else if (this.#pending.size > 0) this.send('changed', { topics: [...this.#pending] });
    this.#pending.clear();
    this.#mustRefetch = false;
  }

  #write(text: string): void {
    if (!this.sink.write(text)) this.sink.once('drain', () => this.#flush());
  }
}

export class Streams {
  readonly #all = new Set<Stream>();
  /** Streams by the keys of events: the ids of the user and of their account, and the topics of staff that they may read. */
  readonly #byOwner = new Map<string, Set<Stream>>();

  get size(): number {
    return this.#all.size;
  }

  [Symbol.iterator](): IterableIterator<Stream> {
    return this.#all.values();
  }

  countFor(userId: string): number {
    return this.#byOwner.get(userId)?.size ?? 0;
  }

  add(stream: Stream): void {
    this.#all.add(stream);
    for (const key of toKeys(stream.owner)) {
      const streams = this.#byOwner.get(key) ?? new Set();
      this.#byOwner.set(key, streams.add(stream));
    }
  }

  remove(stream: Stream): void {
    this.#all.delete(stream);
    for (const key of toKeys(stream.owner)) {
      const streams = this.#byOwner.get(key);
      streams?.delete(stream);
      if (streams?.size === 0) this.#byOwner.delete(key);
    }
  }

  /** Frees the place at once, even if the client is slow to close the connection. */
  end(stream: Stream): void {
    this.remove(stream);
    stream.end();
  }

  /** Sends the event to the streams of these owners. @returns the streams whose session must be checked */
  deliver(topic: Exclude<Topic, GatewayTopic>, owners: readonly string[]): Stream[] {
    const streams = owners.flatMap((owner) => [...(this.#byOwner.get(owner) ?? [])]);
    if (topic === 'session') return streams;
    for (const stream of streams) stream.sendChanged([topic]);
    return [];
  }
}

function toKeys({ userId, accountId, permissions }: StreamOwner): string[] {
  const readable = Object.entries(staffTopics).filter(([, { permission }]) => permissions.has(permission));
  return [userId, String(accountId), ...readable.map(([topic]) => topic)];
}
