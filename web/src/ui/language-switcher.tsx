import { useTranslation } from 'react-i18next';
import { isLanguage, type Language, languages } from '../i18n/languages.ts';
import { IconLanguage } from '@tabler/icons-react';
import classes from './switchers.module.css';

export function LanguageSwitcher({ onChange }: { onChange: (language: Language) => void }) {
  const { t, i18n } = useTranslation();
  return (
    <label className={classes['select']}>
      <IconLanguage size={18} stroke={1.6} aria-hidden="true" />
      <select
        aria-label={t('language')}
        value={i18n.resolvedLanguage}
        onChange={({ currentTarget: { value } }) => {
          if (isLanguage(value)) onChange(value);
        }}
      >
        {languages.map((language) => (
          <option key={language} value={language} lang={language}>
            {t(`languages.${language}`)}
          </option>
        ))}
      </select>
    </label>
  );
}
