import { once } from 'node:events';
import { pino } from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { until } from '../../test/sockets.ts';
import { chooseRelay, type HandleTest, testHandleMove } from './choose-relay.ts';
import { handleMoves } from './handle.ts';

const log = pino({ level: 'silent' });

afterEach(() => {
  handleMoves.areSupported = true;
  vi.restoreAllMocks();
});

/** Aborts like the time-out of a test on a busy machine. */
const late: HandleTest = async (signal) => {
  await once(new EventTarget(), 'never', { signal });
};

describe('the choice of the relay', () => {
  it('is the pump with this version of Node', async () => {
    expect((await chooseRelay({ pumpBuffers: 1 }, log)).kind).toBe('pump');
  });

  it('is repeated while the gateway serves, if the test took too long', async () => {
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => AbortSignal.abort());
    let tests = 0;
    const answered = Promise.withResolvers<void>();
    const relay = await chooseRelay({ pumpBuffers: 1 }, log, (signal) => {
      tests += 1;
      return tests < 3 ? late(signal) : answered.promise;
    });
    expect(relay.kind).toBe('streams');
    await until(() => tests === 3);
    expect(relay.kind).toBe('streams');
    answered.resolve();
    await until(() => relay.kind === 'pump');
    expect(handleMoves.areSupported).toBe(true);
  });

  it('is plain streams for good, if handles cannot be moved', async () => {
    let tests = 0;
    const relay = await chooseRelay({ pumpBuffers: 1 }, log, () => {
      tests += 1;
      return Promise.reject(new Error('no such option'));
    });
    expect([relay.kind, tests, handleMoves.areSupported]).toEqual(['streams', 1, false]);
  });

  it('leaves no error unhandled, whenever the test is aborted', async () => {
    const aborted: unknown[] = [];
    for (let turns = 0; turns < 40; turns += 1) {
      const abort = new AbortController();
      const test = testHandleMove(abort.signal).catch((error: unknown) => aborted.push(error));
      for (let turn = 0; turn < turns; turn += 1) await new Promise<void>((fulfil) => process.nextTick(fulfil));
      abort.abort();
      await test;
    }
    expect(aborted.length).toBeGreaterThan(0);
    await testHandleMove(AbortSignal.timeout(60_000)); // Errors of the others would have arrived.
  });
});
