/** See as user: in this tab, a member of staff sees what another user sees. Only lib/tokens.ts and the banner know about it. */

/** The tab's own storage: other tabs stay signed in as the member of staff. */
const KEY = 'view';
const ENDED_KEY = 'endedView';

export interface ShownView {
  id: string;
  accessToken: string;
  /** Epoch milliseconds of the server's clock. */
  expiredAccessTokenAt: number;
  user: { id: string; email: string };
}

const shown = readView();

export function currentView(): ShownView | undefined {
  return shown;
}

/** All data in memory belongs to one account, so the page is loaded again. */
export function openView({ id, accessToken, expiredAccessTokenAt, user }: ShownView): void {
  sessionStorage.setItem(KEY, JSON.stringify({ id, accessToken, expiredAccessTokenAt, user }));
  location.assign('/proxies');
}

/** Returns to the page of the user in the admin area. */
export function closeView(): void {
  sessionStorage.removeItem(KEY);
  // Ended with the tokens of the member of staff, which this page does not use.
  if (shown !== undefined) sessionStorage.setItem(ENDED_KEY, shown.id);
  location.assign(shown === undefined ? '/admin' : `/admin/users/${shown.user.id}`);
}

/** @returns the view that was closed last, once */
export function takeEndedView(): string | undefined {
  const id = sessionStorage.getItem(ENDED_KEY) ?? undefined;
  sessionStorage.removeItem(ENDED_KEY);
  return id;
}

function readView(): ShownView | undefined {
  try {
    const text = globalThis.sessionStorage?.getItem(KEY);
    return text ? (JSON.parse(text) as ShownView) : undefined;
  } catch {
    return undefined; // Storage is forbidden.
  }
}
