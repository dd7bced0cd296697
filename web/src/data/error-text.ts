import { ApiError } from '@cellhop/contract/client';
import i18next from 'i18next';
import { currentSettings } from './settings.ts';
import { showToast, type ToastLink } from '../ui/toasts.ts';

const SECONDS_PER_MINUTE = 60;

/** The text of an error for users. Depends on its code, never on the server's message. */
export function errorText(error: unknown): string {
  if (!(error instanceof ApiError)) return i18next.t('genericError');
  const minutes = toLimitMinutes(error);
  if (minutes !== undefined) return i18next.t('rateLimitedFor', { count: minutes });
  const { contactEmail } = currentSettings();
  if (error.code === 'ACCOUNT_BLOCKED' && contactEmail) return i18next.t('accountBlocked', { email: contactEmail });
  return codeText(error.code);
}

/** Texts of errors that only staff get are in a separate file. */
function codeText(code: ApiError['code']): string {
  const key = `errors.${code}`;
  return i18next.t(i18next.exists(key) ? key : `staff:${key}`, i18next.t('genericError'));
}

/** How long to wait after RATE_LIMITED; undefined for other errors. */
export function toLimitMinutes(error: unknown): number | undefined {
  if (!(error instanceof ApiError) || error.code !== 'RATE_LIMITED') return undefined;
  return error.retryAfterSeconds === undefined ? undefined : Math.ceil(error.retryAfterSeconds / SECONDS_PER_MINUTE);
}

/** The seconds to wait, which the messages of RESEND_INTERVAL and EMAIL_NOT_CONFIRMED have after the dash. */
export function toWaitSeconds(error: ApiError): number {
  return Number(/ - (\d+)$/.exec(error.message)?.[1] ?? 0);
}

/** For toasts of a user who is out of money: the form for a new invoice. */
export function topUpLink(): ToastLink {
  return { label: i18next.t('topUp'), href: '/payments/invoices?create=true' };
}

/** Client errors are shown as warnings, others as errors. After a 401 the sign-in page explains. */
export function showErrorToast(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) return;
  const isClientError = error instanceof ApiError && error.status >= 400 && error.status < 500;
  const isPoor = error instanceof ApiError && error.code === 'SMALL_BALANCE';
  showToast(isClientError ? 'warning' : 'error', errorText(error), isPoor ? topUpLink() : undefined);
}
