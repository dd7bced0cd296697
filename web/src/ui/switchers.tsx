import { IconChevronDown, IconLanguage, IconClockHour4, IconMoon, IconSun } from '@tabler/icons-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { isLanguage, languages } from '../i18n/languages.ts';
import { changeLanguage } from '../session/change-language.ts';
import { setThemeMode, type ThemeMode, themeModes, useThemeMode } from './color-scheme.ts';
import hidden from './visually-hidden.module.css';
import classes from './switchers.module.css';

export function Switchers() {
  return (
    <div className={classes['switchers']}>
      <LanguageSwitcher />
      <ThemeSwitcher />
    </div>
  );
}

function LanguageSwitcher() {
  const { t, i18n } = useTranslation();
  return (
    <label className={classes['select']}>
      <IconLanguage size={18} stroke={1.6} aria-hidden="true" />
      <select
        aria-label={t('language')}
        value={i18n.resolvedLanguage}
        onChange={({ currentTarget: { value } }) => {
          if (isLanguage(value)) void changeLanguage(value);
        }}
      >
        {languages.map((language) => (
          <option key={language} value={language} lang={language}>
            {t(`languages.${language}`)}
          </option>
        ))}
      </select>
      <IconChevronDown className={classes['arrow']} size={16} stroke={1.6} aria-hidden="true" />
    </label>
  );
}

const icons: Record<ThemeMode, typeof IconSun> = { LIGHT: IconSun, DARK: IconMoon, AUTO: IconClockHour4 };

export function ThemeSwitcher() {
  const { t } = useTranslation();
  const current = useThemeMode();
  const name = useId();
  return (
    <fieldset className={classes['segments']}>
      <legend className={hidden['visuallyHidden']}>{t('theme')}</legend>
      {themeModes.map((mode) => {
        const Icon = icons[mode];
        return (
          <label key={mode} className={classes['segment']} title={t(`themes.${mode}`)}>
            <input
              type="radio"
              name={name}
              value={mode}
              checked={mode === current}
              aria-label={t(`themes.${mode}`)}
              onChange={() => setThemeMode(mode)}
            />
            <Icon size={17} stroke={1.7} aria-hidden="true" />
          </label>
        );
      })}
    </fieldset>
  );
}
