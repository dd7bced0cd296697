/** The parts of session/view.ts that only staff load. */
import { ENDED_VIEW_KEY, type ShownView, VIEW_KEY } from '../../session/view.ts';

/** All data in memory belongs to one account, so the page is loaded again. */
export function openView({ id, accessToken, expiredAccessTokenAt, user }: ShownView): void {
  sessionStorage.setItem(VIEW_KEY, JSON.stringify({ id, accessToken, expiredAccessTokenAt, user }));
  location.assign('/proxies');
}

/** @returns the view that was closed last, once */
export function takeEndedView(): string | undefined {
  const id = sessionStorage.getItem(ENDED_VIEW_KEY) ?? undefined;
  sessionStorage.removeItem(ENDED_VIEW_KEY);
  return id;
}
