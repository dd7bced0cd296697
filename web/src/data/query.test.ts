import type { Profile } from '@cellhop/contract/users';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startBrowser, type Tab } from '../../test/browser.ts';
import { issued } from '../../test/tokens.ts';

type Modules = Awaited<ReturnType<typeof loadModules>>;

async function loadModules() {
  const [http, query, profile] = [
    await import('./http.ts'),
    await import('./query.ts'),
    await import('../session/profile.ts'),
  ];
  return {
    ...http,
    ...query,
    ...profile,
    ...(await import('../session/tokens.ts')),
    ...(await import('../ui/toasts.ts')),
  };
}

/** The API. Responds when the test lets it, always as the first user. */
function slowApi() {
  const waiting: (() => void)[] = [];
  vi.stubGlobal('fetch', async () => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return Response.json({ data: { email: 'first@example.com' } });
  });
  return { response: () => waiting.splice(0).forEach((resolve) => resolve()) };
}

/** A tab of the first user that receives nothing from others until the test lets it, and one that does. */
async function openTabs() {
  const browser = startBrowser({ isHeld: true });
  const active = await browser.openTab(loadModules);
  active.run(() => active.modules.saveTokens(issued('first', 1)));
  const frozen = await browser.openTab(loadModules);
  return { active, frozen };
}

function changeUser(tab: Tab & { modules: Modules }): void {
  tab.run(() => tab.modules.tokens.set(undefined));
  tab.run(() => tab.modules.saveTokens(issued('second', 1)));
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  vi.resetModules();
});

it('removes data of the previous user when a tab learns of sign-out and sign-in together', async () => {
  const { active, frozen } = await openTabs();
  const { queryClient, profileQuery, cacheProfile } = frozen.modules;
  frozen.run(() => cacheProfile({ email: 'first@example.com' } as Profile));
  changeUser(active);
  expect(queryClient.getQueryData(profileQuery.queryKey)).toBeDefined();
  frozen.syncStorage();
  expect(queryClient.getQueryData(profileQuery.queryKey)).toBeUndefined();
});

it('removes toasts of the previous user', async () => {
  const { active, frozen } = await openTabs();
  const { currentToasts, showToast } = frozen.modules;
  frozen.run(() => showToast('success', 'Ticket 7 of the first user is closed'));
  changeUser(active);
  expect(currentToasts()).toHaveLength(1);
  frozen.syncStorage();
  expect(currentToasts()).toEqual([]);
});

it('keeps its data when the tokens of the same session are refreshed', async () => {
  const { active, frozen } = await openTabs();
  const { queryClient, profileQuery, cacheProfile } = frozen.modules;
  frozen.run(() => cacheProfile({ email: 'first@example.com' } as Profile));
  active.run(() => active.modules.saveRefreshed(issued('first', 2)));
  frozen.syncStorage();
  expect(queryClient.getQueryData(profileQuery.queryKey)).toBeDefined();
});

it('drops a late response to a request of the previous user', async () => {
  const { active, frozen } = await openTabs();
  const { response } = slowApi();
  const { call, queryClient, profileQuery } = frozen.modules;
  const action = frozen.run(() => call('GET /v1/profile', {}));
  const query = frozen.run(() => queryClient.prefetchQuery(profileQuery));
  await vi.advanceTimersByTimeAsync(0);
  changeUser(active);
  frozen.syncStorage();
  response();
  await expect(action).rejects.toMatchObject({ status: 401, message: 'The session has ended' });
  await query;
  expect(queryClient.getQueryData(profileQuery.queryKey)).toBeUndefined();
  // The late response does not end the session of the next user either.
  expect(frozen.run(() => frozen.modules.currentSession())).toBe('second');
});
