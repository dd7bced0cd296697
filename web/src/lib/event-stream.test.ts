import { describe, expect, it } from 'vitest';
import { eventParser, readEvents, type ServerEvent } from './event-stream.ts';

const text =
  ': alive\n\nevent: open\ndata: {}\n\nevent: changed\ndata: {"topics":["balance"]}\n\n: alive\n\ndata: x\n\n';
const events = [
  { name: 'open', data: '{}' },
  { name: 'changed', data: '{"topics":["balance"]}' },
  { name: 'message', data: 'x' },
];

describe('eventParser', () => {
  it('finds the same events wherever the text is split', () => {
    for (let cut = 0; cut <= text.length; cut++) {
      const found: ServerEvent[] = [];
      const take = eventParser((event) => found.push(event));
      take(text.slice(0, cut));
      take(text.slice(cut));
      expect(found).toEqual(events);
    }
  });

  it('waits for the end of an event', () => {
    const found: ServerEvent[] = [];
    eventParser((event) => found.push(event))('event: open\ndata: {}\n');
    expect(found).toEqual([]);
  });
});

describe('readEvents', () => {
  it('hears signs of life, and ends when the server does', async () => {
    const found: ServerEvent[] = [];
    let lives = 0;
    const body = new Response(text).body!;
    await readEvents(
      body,
      (event) => found.push(event),
      () => (lives += 1),
    );
    expect(found).toEqual(events);
    expect(lives).toBeGreaterThan(0);
  });
});
