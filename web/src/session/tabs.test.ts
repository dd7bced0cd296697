/** Several tabs of one browser that share a session. */
import type { KeyedCall } from '@cellhop/contract/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startBrowser, type Tab } from '../../test/browser.ts';
import { issued } from '../../test/tokens.ts';

const now = Date.UTC(2026, 10, 21);

type TabModules = Awaited<ReturnType<typeof loadModules>>;
type AppTab = Tab & { modules: TabModules };

async function loadModules() {
  const [accessToken, tokens] = [await import('./access-token.ts'), await import('./tokens.ts')];
  // Like the guards of every page.
  tokens.tokens.subscribe(() => undefined);
  return { ...accessToken, ...tokens, ...(await import('@cellhop/contract/client')) };
}

/** Responds to each refresh with the next pair of the session; can hold the responses back. */
function refreshingServer() {
  const requested: string[] = [];
  const waiting: (() => void)[] = [];
  let isHolding = false;
  const call = async (_definition: unknown, { body }: { body: { refreshToken: string } }) => {
    requested.push(body.refreshToken);
    if (isHolding) await new Promise<void>((resolve) => waiting.push(resolve));
    const [, session = '', generation] = body.refreshToken.split('-');
    return { data: issued(session, Number(generation) + 1) };
  };
  return {
    requested,
    call: call as unknown as KeyedCall,
    hold: () => (isHolding = true),
    response: () => waiting.splice(0).forEach((resolve) => resolve()),
  };
}

/** Each tab has its own ApiError class. */
function refusing({ modules: { ApiError } }: AppTab, status: number): KeyedCall {
  return () => Promise.reject(new ApiError(status, 'INTERNAL', 'refused'));
}

const neverResponding: KeyedCall = () => new Promise(() => undefined);

async function openTabs(count: number, options = {}): Promise<AppTab[]> {
  const browser = startBrowser(options);
  const first = await browser.openTab(loadModules);
  first.run(() => first.modules.saveTokens(issued('one', 1, 0)));
  const tabs = [first];
  while (tabs.length < count) tabs.push(await browser.openTab(loadModules));
  return tabs;
}

function refresh(tab: AppTab, call: KeyedCall): Promise<string> {
  return tab.run(() => tab.modules.freshAccessToken(call));
}

function findToken(tab: AppTab): string | undefined {
  return tab.run(() => tab.modules.tokens.get()?.accessToken);
}

/** Settles promises without advancing the time. */
async function settle(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
}

function syncAll(tabs: Tab[]): void {
  for (let round = 0; round < 3; round++) for (const tab of tabs) tab.syncStorage();
}

beforeEach(() => {
  vi.useFakeTimers({ now });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  vi.resetModules();
});

const next = issued('one', 2).accessToken;

describe('refreshing in several tabs', () => {
  it('is one call when all of them wake up at the same time', async () => {
    const tabs = await openTabs(4);
    const { call, requested } = refreshingServer();
    expect(await Promise.all(tabs.map((tab) => refresh(tab, call)))).toEqual([next, next, next, next]);
    expect(requested).toEqual(['refresh-one-1']);
  });

  it('is one call when a waiting tab receives the new pair before it can read it', async () => {
    const tabs = await openTabs(3, { isHeld: true });
    const { call, requested } = refreshingServer();
    const responses = Promise.all(tabs.map((tab) => refresh(tab, call)));
    await settle();
    tabs.forEach((tab) => tab.receiveMessages());
    expect(await responses).toEqual([next, next, next]);
    expect(tabs[1]!.read('tokens')).toContain('refresh-one-1');
    expect(await refresh(tabs[1]!, call)).toBe(next);
    expect(requested).toEqual(['refresh-one-1']);
  });

  it('is one call when a waiting tab reads the new pair and receives no message', async () => {
    const tabs = await openTabs(2, { isHeld: true });
    const { call, requested } = refreshingServer();
    const responses = Promise.all(tabs.map((tab) => refresh(tab, call)));
    await settle();
    syncAll(tabs);
    expect(await responses).toEqual([next, next]);
    expect(requested).toEqual(['refresh-one-1']);
  });

  it('is one call when a tab that still reads the old pair starts after the refresh', async () => {
    const [first, second] = (await openTabs(2, { isHeld: true })) as [AppTab, AppTab];
    const { call, requested } = refreshingServer();
    expect(await refresh(first, call)).toBe(next);
    first.receiveMessages();
    second.receiveMessages();
    await vi.advanceTimersByTimeAsync(5000);
    expect(await refresh(second, call)).toBe(next);
    expect(requested).toEqual(['refresh-one-1']);
  });

  it('continues without a tab that is frozen during its refresh, while the server still repeats the pair', async () => {
    const [frozen, second] = (await openTabs(2)) as [AppTab, AppTab];
    void refresh(frozen, neverResponding);
    const { call, requested } = refreshingServer();
    const response = refresh(second, call);
    await vi.advanceTimersByTimeAsync(4999);
    expect(requested).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await response).toBe(next);
  });

  it('is not needed when another tab has stored a new pair before the lock was granted', async () => {
    const [first, second] = (await openTabs(2)) as [AppTab, AppTab];
    const { call, requested } = refreshingServer();
    const response = refresh(second, call);
    first.run(() => first.modules.saveTokens(issued('one', 2)));
    expect(await response).toBe(next);
    expect(requested).toEqual([]);
  });

  it('is not needed when the new pair can be read when the lock is granted, before any event', async () => {
    const [first, second] = (await openTabs(2, { isHeld: true })) as [AppTab, AppTab];
    const { call, requested } = refreshingServer();
    const response = refresh(second, call);
    first.run(() => first.modules.saveTokens(issued('one', 2)));
    second.readStorage();
    expect(await response).toBe(next);
    expect(requested).toEqual([]);
  });

  it('is tried by the next tab when it fails', async () => {
    const [first, second] = (await openTabs(2)) as [AppTab, AppTab];
    const failed = refresh(first, refusing(first, 503));
    const { call, requested } = refreshingServer();
    const response = refresh(second, call);
    await expect(failed).rejects.toMatchObject({ status: 503 });
    expect(await response).toBe(next);
    expect(requested).toHaveLength(1);
  });

  it('of the next pair does not wait for the lock of the previous one', async () => {
    const [first] = (await openTabs(1)) as [AppTab];
    const { call, requested } = refreshingServer();
    await refresh(first, call);
    first.run(() => first.modules.saveTokens(issued('one', 2, 0)));
    expect(await refresh(first, call)).toBe(issued('one', 3).accessToken);
    expect(requested).toEqual(['refresh-one-1', 'refresh-one-2']);
  });

  it('fails in all tabs when the server refuses it', async () => {
    const tabs = await openTabs(3);
    const responses = tabs.map((tab) => refresh(tab, refusing(tab, 400)));
    for (const response of responses) await expect(response).rejects.toMatchObject({ status: 401 });
    expect(tabs.map(findToken)).toEqual([undefined, undefined, undefined]);
  });
});

describe('sign-out in one tab', () => {
  it('holds when another tab, which cannot see it yet, finishes a refresh after it', async () => {
    const tabs = (await openTabs(3, { isHeld: true })) as [AppTab, AppTab, AppTab];
    const [refreshing, leaving] = tabs;
    const server = refreshingServer();
    server.hold();
    const response = refresh(refreshing, server.call).catch(() => undefined);
    await settle();
    leaving.run(() => leaving.modules.tokens.set(undefined));
    server.response();
    await response;
    syncAll(tabs);
    expect(tabs.map(findToken)).toEqual([undefined, undefined, undefined]);
  });

  it('holds for a tab that learns of the new pair after the sign-out', async () => {
    const tabs = (await openTabs(2, { isHeld: true })) as [AppTab, AppTab];
    const [refreshing, other] = tabs;
    const server = refreshingServer();
    server.hold();
    const responses = Promise.allSettled(tabs.map((tab) => refresh(tab, server.call)));
    await settle();
    refreshing.run(() => refreshing.modules.tokens.set(undefined));
    server.response();
    other.syncStorage();
    other.receiveMessages();
    expect((await responses).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(tabs.map(findToken)).toEqual([undefined, undefined]);
  });

  it('does not end a session that another tab has just opened', async () => {
    const tabs = (await openTabs(2, { isHeld: true })) as [AppTab, AppTab];
    const [first, second] = tabs;
    first.run(() => first.modules.tokens.set(undefined));
    second.syncStorage();
    first.run(() => first.modules.saveTokens(issued('two', 1)));
    // This tab sees nothing in the storage yet.
    second.run(() => second.modules.tokens.set(undefined));
    syncAll(tabs);
    expect(tabs.map(findToken)).toEqual([issued('two', 1).accessToken, issued('two', 1).accessToken]);
  });
});

describe('sign-in as another user', () => {
  it('holds when another tab, which cannot see it yet, finishes a refresh of the previous session', async () => {
    const tabs = (await openTabs(3, { isHeld: true })) as [AppTab, AppTab, AppTab];
    const [refreshing, entering] = tabs;
    const server = refreshingServer();
    server.hold();
    const response = refresh(refreshing, server.call).catch(() => undefined);
    await settle();
    entering.run(() => entering.modules.tokens.set(undefined));
    entering.run(() => entering.modules.saveTokens(issued('two', 1)));
    server.response();
    await response;
    syncAll(tabs);
    const entered = issued('two', 1).accessToken;
    expect(tabs.map(findToken)).toEqual([entered, entered, entered]);
  });

  it('resolves a tab that waits for a refresh of the previous session', async () => {
    const [refreshing, entering, waiting] = (await openTabs(3)) as [AppTab, AppTab, AppTab];
    const server = refreshingServer();
    server.hold();
    const first = refresh(refreshing, server.call);
    await settle();
    const second = refresh(waiting, server.call);
    await settle();
    entering.run(() => entering.modules.saveTokens(issued('two', 1)));
    const entered = issued('two', 1).accessToken;
    expect(await second).toBe(entered);
    server.response();
    expect(await first).toBe(entered);
    expect(server.requested).toEqual(['refresh-one-1']);
  });

  it('survives a late log-out of the previous session', async () => {
    const [leaving, entering] = (await openTabs(2)) as [AppTab, AppTab];
    const pair = leaving.run(() => leaving.modules.tokens.get()!);
    entering.run(() => entering.modules.saveTokens(issued('two', 1)));
    leaving.run(() => leaving.modules.endSession(pair));
    expect(findToken(entering)).toBe(issued('two', 1).accessToken);
  });
});
