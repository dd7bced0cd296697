/** The open event streams of this process, and who hears what. */
import type { LiveEventName, LiveTopic } from '@cellhop/contract/live';
import type { ServerResponse } from 'node:http';
import type { GatewayTopic, Topic } from './changes.ts';

/** What a stream needs of its response; a test can stand in for it. */
export type Sink = Pick<ServerResponse, 'write' | 'end' | 'destroy' | 'once' | 'writableNeedDrain'>;

export interface StreamOwner {
  userId: string;
  accountId: bigint;
  sessionId: string;
}

export class Stream {
  /** Changes that wait until the client has read what it was sent. */
  readonly #waiting = new Set<LiveTopic>();
  #mustRefetch = false;
  #isStuck = false;

  constructor(
    readonly owner: StreamOwner,
    private readonly sink: Sink,
  ) {}

  send(name: LiveEventName, data: unknown = {}): void {
    this.#write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  tell(topics: Iterable<LiveTopic>): void {
    for (const topic of topics) this.#waiting.add(topic);
    this.#flush();
  }

  refetch(): void {
    this.#mustRefetch = true;
    this.#flush();
  }

  /** A comment, which proxies in between count as life. Who has read nothing since the last one is given up. */
  keepAlive(): void {
    if (this.#isStuck && this.sink.writableNeedDrain) return void this.sink.destroy();
    this.#isStuck = this.sink.writableNeedDrain;
    if (!this.#isStuck) this.#write(': alive\n\n');
  }

  /** The client may come back with a new token. */
  end(): void {
    // An end that waits behind unread events would hold up a server that closes.
    if (this.sink.writableNeedDrain) this.sink.destroy();
    else this.sink.end();
  }

  /** A client that reads slowly gets fewer events, not a longer queue. */
  #flush(): void {
    if (this.sink.writableNeedDrain) return;
    if (this.#mustRefetch) this.send('refetch');
    else if (this.#waiting.size > 0) this.send('changed', { topics: [...this.#waiting] });
    this.#waiting.clear();
    this.#mustRefetch = false;
  }

  #write(text: string): void {
    if (!this.sink.write(text)) this.sink.once('drain', () => this.#flush());
  }
}

export class Streams {
  readonly #all = new Set<Stream>();
  /** By the keys under which changes are told: the user's id and his account's. */
  readonly #byOwner = new Map<string, Set<Stream>>();

  get size(): number {
    return this.#all.size;
  }

  [Symbol.iterator](): IterableIterator<Stream> {
    return this.#all.values();
  }

  countOf(userId: string): number {
    return this.#byOwner.get(userId)?.size ?? 0;
  }

  add(stream: Stream): void {
    this.#all.add(stream);
    for (const key of keysOf(stream.owner)) {
      const streams = this.#byOwner.get(key) ?? new Set();
      this.#byOwner.set(key, streams.add(stream));
    }
  }

  remove(stream: Stream): void {
    this.#all.delete(stream);
    for (const key of keysOf(stream.owner)) {
      const streams = this.#byOwner.get(key);
      streams?.delete(stream);
      if (streams?.size === 0) this.#byOwner.delete(key);
    }
  }

  /** Its place is free from now on, however long the client takes to notice. */
  end(stream: Stream): void {
    this.remove(stream);
    stream.end();
  }

  /** Tells each stream of these owners. @returns the streams that are to be looked at because of a change of sessions */
  deliver(topic: Exclude<Topic, GatewayTopic>, owners: readonly string[]): Stream[] {
    const streams = owners.flatMap((owner) => [...(this.#byOwner.get(owner) ?? [])]);
    if (topic === 'session') return streams;
    for (const stream of streams) stream.tell([topic]);
    return [];
  }
}

function keysOf({ userId, accountId }: StreamOwner): string[] {
  return [userId, String(accountId)];
}
