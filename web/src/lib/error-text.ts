import { ApiError } from '@cellhop/contract/client';
import i18next from 'i18next';
import { currentSettings } from './settings.ts';
import { showToast } from './toasts.ts';

const SECONDS_PER_MINUTE = 60;

/** What the reader is told about a failure; chosen by code, never by the server's prose. */
export function errorText(error: unknown): string {
  if (!(error instanceof ApiError)) return i18next.t('genericError');
  const minutes = limitMinutesOf(error);
  if (minutes !== undefined) return i18next.t('rateLimitedFor', { count: minutes });
  const { contactEmail } = currentSettings();
  if (error.code === 'ACCOUNT_BLOCKED' && contactEmail) return i18next.t('accountBlocked', { email: contactEmail });
  return i18next.t(`errors.${error.code}`);
}

/** How long to wait after too many requests; undefined for other failures. */
export function limitMinutesOf(error: unknown): number | undefined {
  if (!(error instanceof ApiError) || error.code !== 'RATE_LIMITED') return undefined;
  return error.retryAfterSeconds === undefined ? undefined : Math.ceil(error.retryAfterSeconds / SECONDS_PER_MINUTE);
}

/** Seconds to wait, which the texts of RESEND_INTERVAL and EMAIL_NOT_CONFIRMED carry after the dash. */
export function waitSecondsOf(error: ApiError): number {
  return Number(/ - (\d+)$/.exec(error.message)?.[1] ?? 0);
}

/** Mistakes that the reader can mend are warnings, the rest are errors. A lost session speaks by the sign-in page. */
export function showErrorToast(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) return;
  const isMendable = error instanceof ApiError && error.status >= 400 && error.status < 500;
  showToast(isMendable ? 'warning' : 'error', errorText(error));
}
