import { ApiError } from '@cellhop/contract/client';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { waitSecondsOf } from '../../lib/error-text.ts';
import { splitSeconds } from '../../lib/format.ts';
import { showToast } from '../../lib/toasts.ts';
import { useAction } from '../../lib/use-action.ts';
import { useSecondsLeft } from '../../lib/use-seconds-left.ts';
import { PlainButton } from '../../ui/plain-button.tsx';
import classes from './auth-card.module.css';
import { AuthCard } from './auth-card.tsx';

type NoticeReason = 'AFTER_SIGN_UP' | 'EMAIL_IS_NOT_CONFIRMED' | 'RECOVERY_ACCESS';

export interface Notice {
  reason: NoticeReason;
  email: string;
  /** Epoch milliseconds of this device's clock. */
  nextSendingAllowedIn: number;
}

/** Stands in a text where the address goes. */
const EMAIL = '\u{FFFC}';

interface AuthNoticeProps {
  notice: Notice;
  /** Asks for another letter; gives the moment from which yet another may be asked for. */
  resend: () => Promise<{ nextSendingAllowedIn: number }>;
  links: ReactNode;
}

/** Stands in place of the form once a letter is on its way. */
export function AuthNotice({ notice: { reason, email, nextSendingAllowedIn }, resend, links }: AuthNoticeProps) {
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
        const wait = waitSecondsOf(error);
        setAllowedAt(Date.now() + wait * 1000);
        showToast('warning', t('resend.tooEarly', toMinutes(wait)));
      } else if (error.code === 'SESSION_NOT_FOUND' && reason !== 'RECOVERY_ACCESS')
        showToast('success', t('resend.alreadyConfirmed'));
      else return undefined;
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
        {secondsLeft > 0 && <p>{t('resend.wait', toMinutes(secondsLeft))}</p>}
      </div>
    </AuthCard>
  );
}

/** The values of the texts that ask to wait. */
export function toMinutes(total: number): { min: number; sec: number } {
  const { minutes, seconds } = splitSeconds(total);
  return { min: minutes, sec: seconds };
}
