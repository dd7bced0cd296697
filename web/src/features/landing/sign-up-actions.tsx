import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useSettings } from '../../data/settings.ts';
import { formatMoney } from '../../format/format.ts';
import { hasTokens } from '../../session/tokens.ts';
import plain from '../../ui/plain.module.css';
import classes from './landing-page.module.css';

/** Sign up and sign in, or back into the app. @param children further links for visitors */
export function SignUpActions({ children }: { children: ReactNode }) {
  const { t } = useTranslation('landing');
  const { offer } = useSettings();
  if (hasTokens())
    return (
      <div className={classes['actions']}>
        <a href="/proxies" className={plain['button']}>
          {t('openApp')}
        </a>
      </div>
    );
  return (
    <div className={classes['actions']}>
      <a href={signUpPath(offer?.code)} className={plain['button']}>
        {offer?.credit ? t('signUpWithCredit', { credit: shortMoney(offer.credit) }) : t('signUp')}
      </a>
      {children}
    </div>
  );
}

/** With the public promo code: sign-up needs a code. */
function signUpPath(code: string | undefined): string {
  return code === undefined ? '/sign-up' : `/sign-up?rc=${encodeURIComponent(code)}`;
}

/** "$1" instead of "$1.00", "$1,00" in Russian. */
function shortMoney(dollars: number): string {
  return formatMoney(dollars).replace(/[.,]00$/, '');
}
