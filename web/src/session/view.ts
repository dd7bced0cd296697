/** View as user: in this tab, a member of staff views the app as another user. Only session/tokens.ts and the banner depend on it. */

/** The tab's own storage: other tabs stay signed in as the member of staff. */
export const VIEW_KEY = 'view';
export const ENDED_VIEW_KEY = 'endedView';

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

/** Returns to the page of the user in the admin area. */
export function closeView(): void {
  sessionStorage.removeItem(VIEW_KEY);
  // The view is ended with the tokens of the member of staff, which this page does not have.
  if (shown !== undefined) sessionStorage.setItem(ENDED_VIEW_KEY, shown.id);
  location.assign(shown === undefined ? '/admin' : `/admin/users/${shown.user.id}`);
}

function readView(): ShownView | undefined {
  try {
    const text = globalThis.sessionStorage?.getItem(VIEW_KEY);
    return text ? (JSON.parse(text) as ShownView) : undefined;
  } catch {
    return undefined; // Storage is forbidden.
  }
}
