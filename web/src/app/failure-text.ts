import { ApiError } from '@cellhop/contract/client';
import i18next from 'i18next';
import { errorText } from '../lib/error-text.ts';
import { isLoadFailure } from '../lib/load-failure.ts';

/** What a page for failures says: never what the error itself says, which is for developers and in one language. */
export function failureText(error: unknown): string {
  if (isLoadFailure(error)) return i18next.t('failure.incomplete');
  return error instanceof ApiError ? errorText(error) : i18next.t('genericErrorReload');
}
