import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { later } from './use-later.ts';

const IDLE_MS = 1000;

describe('later', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('loads once, however often the part is wanted', async () => {
    const load = vi.fn<() => Promise<string>>(async () => 'menu');
    const menu = later(load);
    expect(menu.get()).toBeUndefined();
    expect([await menu.load(), await menu.load(), menu.get()]).toEqual(['menu', 'menu', 'menu']);
    expect(load).toHaveBeenCalledTimes(1);
  });

  it('tells who wants the part that it did not arrive, and tries again the next time', async () => {
    const load = vi.fn<() => Promise<string>>().mockRejectedValueOnce(new Error('offline')).mockResolvedValue('menu');
    const menu = later(load);
    await expect(menu.load()).rejects.toThrow('offline');
    await expect(menu.load()).resolves.toBe('menu');
  });

  it('loads when nothing else is to do, once for many buttons, and keeps quiet about a failure', async () => {
    const load = vi.fn<() => Promise<string>>().mockRejectedValueOnce(new Error('offline')).mockResolvedValue('menu');
    const menu = later(load);
    menu.loadWhenIdle();
    menu.loadWhenIdle();
    expect(load).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    expect(load).toHaveBeenCalledTimes(1);
    expect(menu.get()).toBeUndefined();
    await expect(menu.load()).resolves.toBe('menu');
  });
});
