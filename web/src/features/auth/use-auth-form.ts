import { ApiError } from '@cellhop/contract/client';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText, waitSecondsOf } from '../../data/error-text.ts';
import { isPasswordRefused } from '../../data/form-errors.ts';
import { useAction } from '../../data/use-action.ts';
import { type Notice, waitValues } from './auth-notice.tsx';

interface AuthFormOptions<Values> {
  call: (values: Values) => Promise<void>;
  /** The address that may have to be confirmed first; undefined for forms without sign-in. */
  emailOf?: (values: Values) => string;
  /** Shows the error under the field for a new password. */
  onPasswordRefused?: () => void;
}

/** Shared by the forms of this feature: the alert above the fields, and the notice that replaces the form. */
export function useAuthForm<Values>({ call, emailOf, onPasswordRefused }: AuthFormOptions<Values>) {
  const { t } = useTranslation('auth');
  const [notice, setNotice] = useState<Notice>();

  const { run, isRunning, error } = useAction<Values, void>({
    call,
    onError: (caught, values) => {
      if (isUnconfirmed(caught) && emailOf !== undefined)
        setNotice({
          reason: 'EMAIL_IS_NOT_CONFIRMED',
          email: emailOf(values),
          nextSendingAllowedIn: Date.now() + waitSecondsOf(caught) * 1000,
        });
      if (isPasswordRefused(caught)) onPasswordRefused?.();
      return 'HANDLED';
    },
  });

  function alertText(caught: Error): string | undefined {
    // Shown by the notice or the field instead.
    if (isUnconfirmed(caught) && emailOf !== undefined) return undefined;
    if (isPasswordRefused(caught) && onPasswordRefused !== undefined) return undefined;
    if (caught instanceof ApiError && caught.code === 'RESEND_INTERVAL')
      return t('resend.tooEarly', waitValues(t, waitSecondsOf(caught)));
    return errorText(caught);
  }

  return { send: run, isSending: isRunning, alert: error === null ? undefined : alertText(error), notice, setNotice };
}

function isUnconfirmed(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'EMAIL_NOT_CONFIRMED';
}
