import { changedSchema, type LiveEventName } from '@cellhop/contract/live';
import { LIVE_EVENTS_PATH } from '@cellhop/contract/live.values';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { TestUser } from './factories.ts';

export interface OpenStream {
  headers: http.IncomingHttpHeaders;
  /** `changed balance`, `refetch`, ..., in the order in which they came. */
  events: string[];
  /** Resolves when all of these have come, `open` included. */
  saw(...wanted: string[]): Promise<void>;
  /** Resolves when the server has ended the stream. */
  ended: Promise<'ended'>;
  close(): void;
}

/** Opens the event stream of a user and waits for the `open` event. */
export async function openStream(url: string, user: Pick<TestUser, 'token'>): Promise<OpenStream> {
  // A separate connection: those of the pool of `fetch` would delay the shutdown of the server.
  const request = http.get(url + LIVE_EVENTS_PATH, {
    headers: { authorization: `Bearer ${user.token}` },
    agent: false,
  });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  assert.equal(response.statusCode, 200);
  let hasLeft = false;
  const events: string[] = [];
  const waiting = new Set<() => void>();
  const ended = (async () => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop()!;
      events.push(...blocks.flatMap(readBlock));
      for (const look of waiting) look();
    }
    return 'ended' as const;
  })().catch((error: unknown) => {
    if (!hasLeft) throw error;
    return 'ended' as const;
  });

  function saw(...wanted: string[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const tooLate = setTimeout(() => reject(new Error(`wanted ${wanted.join()}, got ${events.join()}`)), 60_000);
      const look = () => {
        if (!wanted.every((event) => events.includes(event))) return;
        clearTimeout(tooLate);
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  }

  const close = () => {
    hasLeft = true;
    request.destroy();
  };
  const stream = { headers: response.headers, events, saw, ended, close };
  await saw('open');
  return stream;
}

function readBlock(block: string): string[] {
  const fields = new Map(block.split('\n').map((line) => line.split(/:\s?(.*)/s, 2) as [string, string]));
  const name = fields.get('event') as LiveEventName | undefined;
  if (name === undefined) return [];
  if (name !== 'changed') return [name];
  return changedSchema.parse(JSON.parse(fields.get('data')!)).topics.map((topic) => `changed ${topic}`);
}
