import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startBrowser, type Tab } from '../../test/browser.ts';

type LeadTab = Tab & { modules: typeof import('./lead-in-one-tab.ts') };

let leaders: number[];

beforeEach(() => {
  vi.useFakeTimers();
  leaders = [];
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Tabs of a page without TLS, so without Web Locks, which start when all are open. */
async function openTabs(count: number, isHeld = false) {
  const browser = startBrowser({ isHeld });
  vi.stubGlobal('navigator', {});
  vi.stubGlobal('document', { hidden: false, addEventListener: () => undefined });
  const tabs: LeadTab[] = [];
  while (tabs.length < count) tabs.push(await browser.openTab(() => import('./lead-in-one-tab.ts')));
  return tabs.map((tab, index) => {
    const closing = new AbortController();
    tab.run(() => void tab.modules.leadInOneTab('live', (signal) => lead(index, signal), closing.signal));
    return { tab, close: () => tab.run(() => closing.abort()) };
  });
}

function lead(index: number, signal: AbortSignal): Promise<void> {
  leaders.push(index);
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      leaders = leaders.filter((leader) => leader !== index);
      resolve();
    });
  });
}

it('has one stream for seven visible tabs without Web Locks, and another tab follows one that is closed', async () => {
  const tabs = await openTabs(7);
  expect(leaders).toEqual([0]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(leaders).toEqual([0]);
  tabs[0]!.close();
  expect(leaders).toEqual([]);
  await vi.advanceTimersByTimeAsync(3000);
  expect(leaders).toHaveLength(1);
});

it('has one stream again after tabs have taken the lease at the same time', async () => {
  const tabs = await openTabs(7, true);
  expect(leaders).toHaveLength(7);
  for (const { tab } of tabs) tab.syncStorage();
  await vi.advanceTimersByTimeAsync(3000);
  for (const { tab } of tabs) tab.syncStorage();
  await vi.advanceTimersByTimeAsync(3000);
  expect(leaders).toHaveLength(1);
});
