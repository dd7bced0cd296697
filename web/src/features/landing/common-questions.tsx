import { listCoins } from '@cellhop/contract/coins';
import { INVOICE_DOLLARS_MIN } from '@cellhop/contract/limits';
import { IconChevronDown } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useSettings } from '../../data/settings.ts';
import { formatMoney } from '../../format/format.ts';
import classes from './common-questions.module.css';

const questions = ['mobile', 'own', 'end', 'pay', 'programs', 'privacy', 'rules'] as const;

export function CommonQuestions() {
  const { t, i18n } = useTranslation('landingDetails');
  const { currencies } = useSettings();
  const answer = (key: (typeof questions)[number]) => {
    if (key !== 'pay') return t(`faq.${key}.answer`);
    const minimum = formatMoney(INVOICE_DOLLARS_MIN);
    if (currencies.length === 0) return t('faq.pay.any', { minimum });
    return t('faq.pay.answer', { minimum, list: listCoins(currencies, i18n.language) });
  };
  return (
    <div className={classes['questions']}>
      {questions.map((key) => (
        <details key={key}>
          <summary>
            {t(`faq.${key}.question`)}
            <IconChevronDown size={20} stroke={1.7} aria-hidden="true" />
          </summary>
          <p>
            {answer(key)}
            {key === 'rules' && (
              <>
                {' '}
                <a href="/legal/acceptable-use">{t('faq.rules.link')}</a>
              </>
            )}
          </p>
        </details>
      ))}
    </div>
  );
}
