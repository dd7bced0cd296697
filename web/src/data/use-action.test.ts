import { ApiError, type CallOptions } from '@cellhop/contract/client';
import i18next from 'i18next';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { renderHook } from '../../test/render-hook.ts';
import en from '../i18n/locales/en/common.json' with { type: 'json' };

// There is only one tab.
vi.hoisted(() => vi.stubGlobal('addEventListener', () => undefined));
const { queryClient } = await import('./query.ts');
const { clearToasts, currentToasts } = await import('../ui/toasts.ts');
const { shownInForm, useAction } = await import('./use-action.ts');

const refuse = () => Promise.reject(new ApiError(402, 'SMALL_BALANCE', 'Small balance'));
const lostNetwork = () => new ApiError(0, 'NETWORK', 'fetch failed');
const shownToasts = () => currentToasts().map(({ kind, text }) => [kind, text]);

/** A server that responds when the test lets it, and records the key of each request. */
function heldServer() {
  const keys: (string | undefined)[] = [];
  const waiting: { resolve: (result: string) => void; reject: (error: Error) => void }[] = [];
  return {
    keys,
    call: (_input: unknown, withKey: () => CallOptions) => {
      keys.push(withKey().headers?.['idempotency-key']);
      return new Promise<string>((resolve, reject) => waiting.push({ resolve, reject }));
    },
    next: async () => {
      await vi.waitFor(() => expect(waiting).not.toHaveLength(0));
      return waiting.shift()!;
    },
  };
}

beforeAll(() => i18next.init({ lng: 'en', defaultNS: 'common', resources: { en: { common: en } } }));
beforeEach(clearToasts);
afterEach(() => queryClient.clear());

describe('a double click', () => {
  it('sends once', async () => {
    const { call, next, keys } = heldServer();
    const { run } = renderHook(() => useAction({ call }));
    const [first, second] = [run('Hello'), run('Hello')];
    await expect(second).resolves.toBeUndefined();
    (await next()).resolve('done');
    await expect(first).resolves.toBe('done');
    expect(keys).toHaveLength(1);
  });

  it('allows the next run after a success or a failure', async () => {
    const { call, next, keys } = heldServer();
    const { run } = renderHook(() => useAction({ call }));
    const first = run('Hello');
    (await next()).reject(lostNetwork());
    await first;
    void run('Hello');
    await next();
    expect(keys).toHaveLength(2);
  });

  it('blocks only runs with the same lock', async () => {
    const { call, next, keys } = heldServer();
    const { run } = renderHook(() => useAction({ call, lockFor: ({ id }: { id: string }) => id }));
    for (const id of ['a', 'b', 'a']) void run({ id });
    await next();
    await next();
    expect(keys).toHaveLength(2);
  });
});

describe('the idempotency key', () => {
  it('is the same after a network error, and another one after a success', async () => {
    const { call, next, keys } = heldServer();
    const { run } = renderHook(() => useAction({ call }));
    for (const end of ['LOST', 'DONE', 'DONE']) {
      const running = run({ content: 'Hello' });
      const response = await next();
      if (end === 'LOST') response.reject(lostNetwork());
      else response.resolve('done');
      await running;
    }
    const [lost, repeated, meantAgain] = keys;
    expect(lost).toBeTruthy();
    expect(repeated).toBe(lost);
    expect(meantAgain).not.toBe(lost);
  });

  it('changes with the input', async () => {
    const { call, next, keys } = heldServer();
    const { run } = renderHook(() => useAction({ call }));
    for (const content of ['Hello', 'Hello!']) {
      const running = run({ content });
      (await next()).reject(lostNetwork());
      await running;
    }
    expect(new Set(keys).size).toBe(2);
  });
});

describe('the toast', () => {
  it('shows a success', async () => {
    const { run } = renderHook(() =>
      useAction({ call: async () => 7, successText: (count, name: string) => `${name}: ${count}` }),
    );
    await run('Ended');
    expect(shownToasts()).toEqual([['success', 'Ended: 7']]);
  });

  it('shows a failure, unless the caller handles it', async () => {
    await renderHook(() => useAction<void, void>({ call: refuse, onError: shownInForm })).run();
    expect(shownToasts()).toEqual([]);
    await renderHook(() => useAction<void, void>({ call: refuse })).run();
    expect(shownToasts()).toEqual([['warning', en.errors.SMALL_BALANCE]]);
  });
});

describe('changed topics', () => {
  it.each([true, false])('are refetched, and nothing else; success: %s', async (isSuccess) => {
    for (const topic of ['tickets', 'invoices'] as const)
      await queryClient.prefetchQuery({ queryKey: [topic], queryFn: () => topic, meta: { topics: [topic] } });
    const call = () => (isSuccess ? Promise.resolve('done') : Promise.reject(lostNetwork()));
    await renderHook(() => useAction<void, string>({ call, changes: ['tickets'] })).run();
    expect(queryClient.getQueryState(['tickets'])?.isInvalidated).toBe(true);
    expect(queryClient.getQueryState(['invoices'])?.isInvalidated).toBe(false);
  });

  it('are invalidated before the action ends', async () => {
    const steps: string[] = [];
    const { run } = renderHook(() =>
      useAction<void, string>({
        call: async () => 'done',
        onSuccess: async () => {
          await Promise.resolve();
          steps.push('kept');
        },
      }),
    );
    await run();
    steps.push('over');
    expect(steps).toEqual(['kept', 'over']);
  });
});
