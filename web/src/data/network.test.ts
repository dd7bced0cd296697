import { afterEach, describe, expect, it, vi } from 'vitest';
import { askServer, isOnline, onReconnect, watchNetwork } from './network.ts';

const lost = () => Promise.reject(new TypeError('Failed to fetch'));
const responds = () => Promise.resolve('response');

describe('watchNetwork', () => {
  afterEach(() => watchNetwork(responds()));

  it('is offline after a request without a response, even if the browser is online', async () => {
    vi.stubGlobal('navigator', { onLine: true });
    await expect(watchNetwork(lost())).rejects.toThrow('Failed to fetch');
    expect(isOnline()).toBe(false);
    vi.stubGlobal('navigator', { onLine: false });
    await expect(watchNetwork(responds())).resolves.toBe('response');
    expect(isOnline()).toBe(true);
    vi.unstubAllGlobals();
  });

  it('learns nothing from a request that was cancelled or took too long', async () => {
    await expect(watchNetwork(lost(), AbortSignal.abort())).rejects.toThrow('Failed to fetch');
    expect(isOnline()).toBe(true);
  });

  it('announces that the network is back, once', async () => {
    const listener = vi.fn<() => void>();
    const stop = onReconnect(listener);
    await watchNetwork(responds());
    expect(listener).not.toHaveBeenCalled();
    await watchNetwork(lost()).catch(() => undefined);
    await watchNetwork(lost()).catch(() => undefined);
    expect(listener).not.toHaveBeenCalled();
    await watchNetwork(responds());
    await watchNetwork(responds());
    expect(listener).toHaveBeenCalledTimes(1);
    stop();
  });
});

describe('askServer', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('tells whether the server responds, with any status', async () => {
    vi.stubGlobal('fetch', lost);
    expect(await askServer()).toBe(false);
    expect(isOnline()).toBe(false);
    vi.stubGlobal('fetch', async () => new Response(null, { status: 503 }));
    expect(await askServer()).toBe(true);
    expect(isOnline()).toBe(true);
  });
});
