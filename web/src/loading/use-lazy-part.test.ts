import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { lazyPart } from './use-lazy-part.ts';

const IDLE_MS = 1000;

describe('lazyPart', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('loads once, however often the part is requested', async () => {
    const load = vi.fn<() => Promise<string>>(async () => 'menu');
    const menu = lazyPart(load);
    expect(menu.get()).toBeUndefined();
    expect([await menu.load(), await menu.load(), menu.get()]).toEqual(['menu', 'menu', 'menu']);
    expect(load).toHaveBeenCalledTimes(1);
  });

  it('rejects if the part fails to load, and tries again the next time', async () => {
    const load = vi.fn<() => Promise<string>>().mockRejectedValueOnce(new Error('offline')).mockResolvedValue('menu');
    const menu = lazyPart(load);
    await expect(menu.load()).rejects.toThrow('offline');
    await expect(menu.load()).resolves.toBe('menu');
  });

  it('loads once when the browser is idle, and ignores a failure', async () => {
    const load = vi.fn<() => Promise<string>>().mockRejectedValueOnce(new Error('offline')).mockResolvedValue('menu');
    const menu = lazyPart(load);
    menu.loadWhenIdle();
    menu.loadWhenIdle();
    expect(load).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    expect(load).toHaveBeenCalledTimes(1);
    expect(menu.get()).toBeUndefined();
    await expect(menu.load()).resolves.toBe('menu');
  });
});
