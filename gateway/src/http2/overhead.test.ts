import { describe, expect, it, vi } from 'vitest';
import { Overhead } from './overhead.ts';

const LIMITS = { http2OverheadPerSecond: 1_000, http2OverheadBurst: 5_000, http2StreamOverhead: 100 };

function create() {
  const socket = { bytesRead: 0 };
  const overhead = new Overhead(socket, LIMITS);
  return {
    overhead,
    receive: (bytes: number) => {
      socket.bytesRead += bytes;
      return overhead.isBearable();
    },
  };
}

describe('overhead', () => {
  it('has a burst and a rate', () => {
    vi.useFakeTimers();
    const { receive } = create();
    expect(receive(5_000)).toBe(true);
    expect(receive(1)).toBe(false);
    vi.advanceTimersByTime(2_000);
    expect(receive(2_000)).toBe(true);
    expect(receive(1)).toBe(false);
    vi.useRealTimers();
  });

  it('is what streams do not carry, in either direction', () => {
    const { overhead, receive } = create();
    overhead.passed(100_000);
    expect(receive(105_000)).toBe(true);
    overhead.passed(1_000_000);
    expect(receive(1_000_000)).toBe(true);
  });

  it('is not saved: what streams carried earlier pays for nothing', () => {
    const { overhead, receive } = create();
    overhead.passed(1_000_000);
    expect(receive(10)).toBe(true);
    expect(receive(5_001)).toBe(false);
  });

  it('includes a part for each stream', () => {
    const { overhead, receive } = create();
    for (let count = 0; count < 50; count += 1) overhead.streamOpened();
    expect(receive(0)).toBe(true);
    overhead.streamOpened();
    expect(receive(0)).toBe(false);
  });
});
