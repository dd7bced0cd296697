/** Tabs of one browser that share a session. */
import type { Call } from '@cellhop/contract/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startBrowser, type Tab } from '../../test/browser.ts';

const now = Date.UTC(2026, 10, 21);
const LIFE_MS = 900_000;

type TabModules = Awaited<ReturnType<typeof loadModules>>;
type AppTab = Tab & { modules: TabModules };

async function loadModules() {
  const [accessToken, tokens] = [await import('./access-token.ts'), await import('./tokens.ts')];
  // As the guards of every page do.
  tokens.tokens.subscribe(() => undefined);
  return { ...accessToken, ...tokens, ...(await import('@cellhop/contract/client')) };
}

function issued(session: string, generation: number, livesMs = LIFE_MS) {
  const claims = btoa(JSON.stringify({ sid: session, generation })).replaceAll('=', '');
  return {
    accessToken: `header.${claims}.signature-${session}-${generation}`,
    refreshToken: `refresh-${session}-${generation}`,
    expiredAccessTokenAt: now + livesMs,
  };
}

/** Answers each refresh with the next pair of the session, once the test lets it. */
function refreshingServer() {
  const asked: string[] = [];
  const waiting: (() => void)[] = [];
  let isHolding = false;
  const call = async (_definition: unknown, { body }: { body: { refreshToken: string } }) => {
    asked.push(body.refreshToken);
    if (isHolding) await new Promise<void>((resolve) => waiting.push(resolve));
    const [, session = '', generation] = body.refreshToken.split('-');
    return { data: issued(session, Number(generation) + 1) };
  };
  return {
    asked,
    call: call as unknown as Call,
    hold: () => (isHolding = true),
    answer: () => waiting.splice(0).forEach((resolve) => resolve()),
  };
}

/** The tab's own class: modules of another tab do not know it. */
function refusing({ modules: { ApiError } }: AppTab, status: number): Call {
  return () => Promise.reject(new ApiError(status, 'INTERNAL', 'refused'));
}

const neverAnswering: Call = () => new Promise(() => undefined);

async function openTabs(count: number, options = {}): Promise<AppTab[]> {
  const browser = startBrowser(options);
  const first = await browser.openTab(loadModules);
  first.run(() => first.modules.saveTokens(issued('one', 1, 0)));
  const tabs = [first];
  while (tabs.length < count) tabs.push(await browser.openTab(loadModules));
  return tabs;
}

function refresh(tab: AppTab, call: Call): Promise<string> {
  return tab.run(() => tab.modules.freshAccessToken(call));
}

function tokenOf(tab: AppTab): string | undefined {
  return tab.run(() => tab.modules.tokens.get()?.accessToken);
}

/** Lets promises settle without letting time pass. */
async function settle(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
}

function seeAll(tabs: Tab[]): void {
  for (let round = 0; round < 3; round++) for (const tab of tabs) tab.seeStorage();
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
  it('is one call when all of them wake up together', async () => {
    const tabs = await openTabs(4);
    const { call, asked } = refreshingServer();
    expect(await Promise.all(tabs.map((tab) => refresh(tab, call)))).toEqual([next, next, next, next]);
    expect(asked).toEqual(['refresh-one-1']);
  });

  it('is one call when a waiting tab hears of it and cannot read the new pair yet', async () => {
    const tabs = await openTabs(3, { isHeld: true });
    const { call, asked } = refreshingServer();
    const answers = Promise.all(tabs.map((tab) => refresh(tab, call)));
    await settle();
    tabs.forEach((tab) => tab.hear());
    expect(await answers).toEqual([next, next, next]);
    expect(tabs[1]!.read('tokens')).toContain('refresh-one-1');
    expect(await refresh(tabs[1]!, call)).toBe(next);
    expect(asked).toEqual(['refresh-one-1']);
  });

  it('is one call when a waiting tab reads the new pair and hears nothing', async () => {
    const tabs = await openTabs(2, { isHeld: true });
    const { call, asked } = refreshingServer();
    const answers = Promise.all(tabs.map((tab) => refresh(tab, call)));
    await settle();
    seeAll(tabs);
    expect(await answers).toEqual([next, next]);
    expect(asked).toEqual(['refresh-one-1']);
  });

  it('is one call when a tab that still reads the old pair comes after the refresh', async () => {
    const [first, second] = (await openTabs(2, { isHeld: true })) as [AppTab, AppTab];
    const { call, asked } = refreshingServer();
    expect(await refresh(first, call)).toBe(next);
    first.hear();
    second.hear();
    await vi.advanceTimersByTimeAsync(5000);
    expect(await refresh(second, call)).toBe(next);
    expect(asked).toEqual(['refresh-one-1']);
  });

  it('goes on without a tab that is frozen in the middle of its refresh, while the server still repeats the pair', async () => {
    const [frozen, second] = (await openTabs(2)) as [AppTab, AppTab];
    void refresh(frozen, neverAnswering);
    const { call, asked } = refreshingServer();
    const answer = refresh(second, call);
    await vi.advanceTimersByTimeAsync(4999);
    expect(asked).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await answer).toBe(next);
  });

  it('is not needed when another tab has stored a new pair before the lock was given', async () => {
    const [first, second] = (await openTabs(2)) as [AppTab, AppTab];
    const { call, asked } = refreshingServer();
    const answer = refresh(second, call);
    first.run(() => first.modules.saveTokens(issued('one', 2)));
    expect(await answer).toBe(next);
    expect(asked).toEqual([]);
  });

  it('is not needed when the new pair can be read as the lock is given, before any event tells of it', async () => {
    const [first, second] = (await openTabs(2, { isHeld: true })) as [AppTab, AppTab];
    const { call, asked } = refreshingServer();
    const answer = refresh(second, call);
    first.run(() => first.modules.saveTokens(issued('one', 2)));
    second.readStorage();
    expect(await answer).toBe(next);
    expect(asked).toEqual([]);
  });

  it('is tried by the next tab when it fails in one', async () => {
    const [first, second] = (await openTabs(2)) as [AppTab, AppTab];
    const failed = refresh(first, refusing(first, 503));
    const { call, asked } = refreshingServer();
    const answer = refresh(second, call);
    await expect(failed).rejects.toMatchObject({ status: 503 });
    expect(await answer).toBe(next);
    expect(asked).toHaveLength(1);
  });

  it('of the next pair does not wait for the lock of the pair before', async () => {
    const [first] = (await openTabs(1)) as [AppTab];
    const { call, asked } = refreshingServer();
    await refresh(first, call);
    first.run(() => first.modules.saveTokens(issued('one', 2, 0)));
    expect(await refresh(first, call)).toBe(issued('one', 3).accessToken);
    expect(asked).toEqual(['refresh-one-1', 'refresh-one-2']);
  });

  it('ends for all of them when the server refuses it', async () => {
    const tabs = await openTabs(3);
    const answers = tabs.map((tab) => refresh(tab, refusing(tab, 400)));
    for (const answer of answers) await expect(answer).rejects.toMatchObject({ status: 401 });
    expect(tabs.map(tokenOf)).toEqual([undefined, undefined, undefined]);
  });
});

describe('sign-out in one tab', () => {
  it('holds when another tab, which cannot see it yet, finishes a refresh after it', async () => {
    const tabs = (await openTabs(3, { isHeld: true })) as [AppTab, AppTab, AppTab];
    const [refreshing, leaving] = tabs;
    const server = refreshingServer();
    server.hold();
    const answer = refresh(refreshing, server.call).catch(() => undefined);
    await settle();
    leaving.run(() => leaving.modules.tokens.set(undefined));
    server.answer();
    await answer;
    seeAll(tabs);
    expect(tabs.map(tokenOf)).toEqual([undefined, undefined, undefined]);
  });

  it('holds for a tab that hears of the new pair later than of the sign-out', async () => {
    const tabs = (await openTabs(2, { isHeld: true })) as [AppTab, AppTab];
    const [refreshing, other] = tabs;
    const server = refreshingServer();
    server.hold();
    const answers = Promise.allSettled(tabs.map((tab) => refresh(tab, server.call)));
    await settle();
    refreshing.run(() => refreshing.modules.tokens.set(undefined));
    server.answer();
    other.seeStorage();
    other.hear();
    expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(tabs.map(tokenOf)).toEqual([undefined, undefined]);
  });

  it('does not end the session that another tab has opened a moment ago', async () => {
    const tabs = (await openTabs(2, { isHeld: true })) as [AppTab, AppTab];
    const [first, second] = tabs;
    first.run(() => first.modules.tokens.set(undefined));
    second.seeStorage();
    first.run(() => first.modules.saveTokens(issued('two', 1)));
    // Nothing is stored as far as this tab can see.
    second.run(() => second.modules.tokens.set(undefined));
    seeAll(tabs);
    expect(tabs.map(tokenOf)).toEqual([issued('two', 1).accessToken, issued('two', 1).accessToken]);
  });
});

describe('sign-in as another user', () => {
  it('holds when another tab, which cannot see it yet, finishes a refresh of the session before', async () => {
    const tabs = (await openTabs(3, { isHeld: true })) as [AppTab, AppTab, AppTab];
    const [refreshing, entering] = tabs;
    const server = refreshingServer();
    server.hold();
    const answer = refresh(refreshing, server.call).catch(() => undefined);
    await settle();
    entering.run(() => entering.modules.tokens.set(undefined));
    entering.run(() => entering.modules.saveTokens(issued('two', 1)));
    server.answer();
    await answer;
    seeAll(tabs);
    const entered = issued('two', 1).accessToken;
    expect(tabs.map(tokenOf)).toEqual([entered, entered, entered]);
  });

  it('serves a tab that waits for a refresh of the session before', async () => {
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
    server.answer();
    expect(await first).toBe(entered);
    expect(server.asked).toEqual(['refresh-one-1']);
  });

  it('survives the late end of a log-out of the session before', async () => {
    const [leaving, entering] = (await openTabs(2)) as [AppTab, AppTab];
    const pair = leaving.run(() => leaving.modules.tokens.get()!);
    entering.run(() => entering.modules.saveTokens(issued('two', 1)));
    leaving.run(() => leaving.modules.endSession(pair));
    expect(tokenOf(entering)).toBe(issued('two', 1).accessToken);
  });
});
