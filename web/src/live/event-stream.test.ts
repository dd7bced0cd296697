import { expect, it, vi } from 'vitest';
import { readEvents, type ServerEvent } from './event-stream.ts';

const text =
  ': alive\n\nevent: open\ndata: {}\n\nevent: changed\ndata: {"topics":["balance"]}\n\n: alive\n\ndata: x\n\n';
const events = [
  { name: 'open', data: '{}' },
  { name: 'changed', data: '{"topics":["balance"]}' },
  { name: 'message', data: 'x' },
];

async function read(chunks: readonly (string | Uint8Array<ArrayBuffer>)[], onCancel = () => {}) {
  const left = chunks.map((chunk) => (typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk));
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => {
      const next = left.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(next);
    },
    cancel: onCancel,
  });
  const found: ServerEvent[] = [];
  let chunkCount = 0;
  await readEvents(
    body,
    (event) => found.push(event),
    () => (chunkCount += 1),
  );
  return { found, chunkCount };
}

it('parses the same events wherever the text is split', async () => {
  for (let cut = 1; cut < text.length; cut++)
    expect(await read([text.slice(0, cut), text.slice(cut)])).toEqual({ found: events, chunkCount: 2 });
});

it('accepts all line endings', async () => {
  expect((await read([text.replaceAll('\n', '\r\n')])).found).toEqual(events);
});

it('decodes a character that is split over two chunks', async () => {
  const bytes = new TextEncoder().encode('data: é\n\n');
  expect((await read([bytes.slice(0, 7), bytes.slice(7)])).found).toEqual([{ name: 'message', data: 'é' }]);
});

it('waits for the end of an event, and drops an incomplete one at the end of the stream', async () => {
  expect((await read(['event: open\ndata: {}\n'])).found).toEqual([]);
});

it('ignores unknown fields', async () => {
  expect((await read(['mood: good\ndata: x\n\n'])).found).toEqual([{ name: 'message', data: 'x' }]);
});

it('throws for an event that is too long, and closes the connection', async () => {
  const onCancel = vi.fn<() => void>();
  const endless = Array.from({ length: 100 }, () => 'data: '.padEnd(1024, 'x'));
  await expect(read(endless, onCancel)).rejects.toMatchObject({ type: 'max-buffer-size-exceeded' });
  expect(onCancel).toHaveBeenCalledOnce();
});
