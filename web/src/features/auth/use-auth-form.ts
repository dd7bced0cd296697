import { ApiError } from '@cellhop/contract/client';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText, waitSecondsOf } from '../../lib/error-text.ts';
import { isPasswordRefused } from '../../lib/forms/form-errors.ts';
import { type Notice, toMinutes } from './auth-notice.tsx';

/** What the forms of this feature share: the alert above the fields, and the notice that replaces them. */
export function useAuthForm() {
  const { t } = useTranslation('auth');
  const [error, setError] = useState<unknown>();
  const [notice, setNotice] = useState<Notice>();

  function alertText(caught: unknown): string {
    if (caught instanceof ApiError && caught.code === 'RESEND_INTERVAL')
      return t('resend.tooEarly', toMinutes(waitSecondsOf(caught)));
    return errorText(caught);
  }

  /** @param onPasswordRefused says so under the field, where the form asks for a new password */
  async function send(email: string, task: () => Promise<void>, onPasswordRefused?: () => void) {
    setError(undefined);
    try {
      await task();
    } catch (caught) {
      if (caught instanceof ApiError && caught.code === 'EMAIL_NOT_CONFIRMED')
        setNotice({
          reason: 'EMAIL_IS_NOT_CONFIRMED',
          email,
          nextSendingAllowedIn: Date.now() + waitSecondsOf(caught) * 1000,
        });
      else if (onPasswordRefused !== undefined && isPasswordRefused(caught)) onPasswordRefused();
      else setError(caught);
    }
  }

  return { alert: error === undefined ? undefined : alertText(error), notice, setNotice, send };
}
