import { ApiError } from '@cellhop/contract/client';
import type { TFunction } from 'i18next';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toWaitSeconds, errorText } from '../../data/error-text.ts';
import { isPasswordRefused } from '../../data/form-errors.ts';
import { useAction } from '../../data/use-action.ts';
import { formatClock, splitSeconds } from '../../format/format.ts';
import { useSecondsLeft } from '../../hooks/use-seconds-left.ts';
import { PlainButton } from '../../ui/plain-button.tsx';
import hidden from '../../ui/visually-hidden.module.css';
import { showToast } from '../../ui/toasts.ts';
import classes from './auth-card.module.css';
import { AuthCard } from './auth-card.tsx';

/** The product specification spells the first one AFTER_SING_UP; it is never sent, so only the spelling differs. */
type NoticeReason = 'AFTER_SIGN_UP' | 'EMAIL_IS_NOT_CONFIRMED' | 'RECOVERY_ACCESS';

interface Notice {
  reason: NoticeReason;
  email: string;
  /** Epoch milliseconds of the device's clock. */
  nextSendingAllowedIn: number;
}

/** Placeholder for the email address in the text. */
const EMAIL = '\u{FFFC}';

interface AuthNoticeProps {
  notice: Notice;
  /** The address has been confirmed in the meantime: there is nothing to send. */
  onConfirmed: () => void;
  /** Sends another mail; resolves with the time when the next one is allowed. */
  resend: () => Promise<{ nextSendingAllowedIn: number }>;
  links: ReactNode;
}

/** Replaces the form after a mail was sent. */
export function AuthNotice({
  notice: { reason, email, nextSendingAllowedIn },
  resend,
  onConfirmed,
  links,
}: AuthNoticeProps) {
  const { t } = useTranslation('auth');
  const [allowedAt, setAllowedAt] = useState(nextSendingAllowedIn);
  const secondsLeft = useSecondsLeft(allowedAt);
  const [before, after] = t(`notice.${reason}.text`, { email: EMAIL }).split(EMAIL);

  const sending = useAction<void, { nextSendingAllowedIn: number }>({
    call: resend,
    onSuccess: (response) => setAllowedAt(response.nextSendingAllowedIn),
    successText: () => t('resend.sent'),
    onError: (error) => {
      if (!(error instanceof ApiError)) return undefined;
      if (error.code === 'RESEND_INTERVAL') {
        const wait = toWaitSeconds(error);
        setAllowedAt(Date.now() + wait * 1000);
        showToast('warning', t('resend.tooEarly', waitValues(t, wait)));
      } else if (error.code === 'SESSION_NOT_FOUND' && reason !== 'RECOVERY_ACCESS') {
        showToast('success', t('resend.alreadyConfirmed'));
        onConfirmed();
      } else return undefined;
      return 'HANDLED';
    },
  });

  return (
    <AuthCard title={t(`notice.${reason}.title`)} isAnnounced links={links}>
      <p className={classes['notice']}>
        {before}
        <strong>{email}</strong>
        {after}
      </p>
      <div className={classes['resend']}>
        <PlainButton
          isQuiet
          isLoading={sending.isRunning}
          disabled={secondsLeft > 0}
          onClick={() => void sending.run()}
        >
          {t('resend.button')}
        </PlainButton>
        {secondsLeft > 0 && (
          <p>
            <span aria-hidden="true">{t('resend.clock', { time: formatClock(secondsLeft) })}</span>
            <span className={hidden['visuallyHidden']}>{t('resend.wait', waitValues(t, secondsLeft))}</span>
          </p>
        )}
      </div>
    </AuthCard>
  );
}

/** Values for texts with a wait time, each with its plural form. */
function waitValues(t: TFunction<'auth'>, total: number): { min: string; sec: string } {
  const { minutes, seconds } = splitSeconds(total);
  return { min: t('resend.minutes', { count: minutes }), sec: t('resend.seconds', { count: seconds }) };
}

interface AuthFormOptions<Values> {
  call: (values: Values) => Promise<void>;
  /** The address that may have to be confirmed first; undefined for forms without sign-in. */
  emailFor?: (values: Values) => string;
  /** Shows the error under the field for a new password. */
  onPasswordRefused?: () => void;
}

/** Shared by the forms of this feature: the alert above the fields, and the notice that replaces the form. */
export function useAuthForm<Values>({ call, emailFor, onPasswordRefused }: AuthFormOptions<Values>) {
  const { t } = useTranslation('auth');
  const [notice, setNotice] = useState<Notice>();

  const { run, isRunning, error } = useAction<Values, void>({
    call,
    onError: (caught, values) => {
      if (isUnconfirmed(caught) && emailFor !== undefined)
        setNotice({
          reason: 'EMAIL_IS_NOT_CONFIRMED',
          email: emailFor(values),
          nextSendingAllowedIn: Date.now() + toWaitSeconds(caught) * 1000,
        });
      if (isPasswordRefused(caught)) onPasswordRefused?.();
      return 'HANDLED';
    },
  });

  function alertText(caught: Error): string | undefined {
    // Shown by the notice or the field instead.
    if (isUnconfirmed(caught) && emailFor !== undefined) return undefined;
    if (isPasswordRefused(caught) && onPasswordRefused !== undefined) return undefined;
    if (caught instanceof ApiError && caught.code === 'RESEND_INTERVAL')
      return t('resend.tooEarly', waitValues(t, toWaitSeconds(caught)));
    return errorText(caught);
  }

  return { send: run, isSending: isRunning, alert: error === null ? undefined : alertText(error), notice, setNotice };
}

function isUnconfirmed(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'EMAIL_NOT_CONFIRMED';
}
