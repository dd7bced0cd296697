import { ApiError } from '@cellhop/contract/client';
import i18next from 'i18next';
import { errorText } from '../data/error-text.ts';
import { isLoadFailure } from '../loading/load-failure.ts';

/** The text of a failure page: never the error's own message, which is for developers and in one language. */
export function failureText(error: unknown): string {
  if (isLoadFailure(error)) return i18next.t('failure.incomplete');
  return error instanceof ApiError ? errorText(error) : i18next.t('genericErrorReload');
}
