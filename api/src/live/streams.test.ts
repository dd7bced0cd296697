import type { Permission } from '@cellhop/contract/permissions';
import { expect, test } from 'vitest';
import { Stream, Streams, type Sink } from './streams.ts';

const owner = { userId: 'u', accountId: 1000n, sessionId: 's', permissions: new Set<Permission>(['TICKETS_READ']) };

/** A response whose client pauses and resumes reading as the test requires. */
function sink() {
  const written: string[] = [];
  let onDrain: (() => void) | undefined;
  const state = {
    written,
    isStuck: false,
    isDestroyed: false,
    drain() {
      state.isStuck = false;
      onDrain?.();
    },
  };
  const response = {
    get writableNeedDrain() {
      return state.isStuck;
    },
    write: (text: string) => {
      written.push(text);
      return !state.isStuck;
    },
    once: (_: string, listener: () => void) => (onDrain = listener),
    end: () => {},
    destroy: () => (state.isDestroyed = true),
  };
  return { state, stream: new Stream(owner, response as unknown as Sink) };
}

test('a slow client gets one merged event', () => {
  const { state, stream } = sink();
  state.isStuck = true;
  stream.send('open');
  for (let change = 0; change < 1000; change++) stream.sendChanged(['balance', 'connections']);
  expect(state.written).toHaveLength(1);
  state.drain();
  expect(state.written.slice(1)).toEqual(['event: changed\ndata: {"topics":["balance","connections"]}\n\n']);
});

test('a client that reads nothing between two keep-alives is disconnected', () => {
  const { state, stream } = sink();
  state.isStuck = true;
  stream.send('open');
  stream.keepAlive();
  expect(state.isDestroyed).toBe(false);
  stream.keepAlive();
  expect(state.isDestroyed).toBe(true);
});

test('a client that has caught up gets keep-alives again', () => {
  const { state, stream } = sink();
  state.isStuck = true;
  stream.send('open');
  stream.keepAlive();
  state.drain();
  stream.keepAlive();
  expect(state.written.at(-1)).toBe(': alive\n\n');
});

test('a removed stream leaves nothing behind', () => {
  const streams = new Streams();
  const { state, stream } = sink();
  streams.add(stream);
  expect([streams.size, streams.countFor('u')]).toEqual([1, 1]);
  streams.remove(stream);
  streams.deliver('balance', ['u', '1000']);
  streams.deliver('staff-tickets', ['staff-tickets']);
  expect([streams.size, streams.countFor('u'), state.written.length]).toEqual([0, 0, 0]);
});
