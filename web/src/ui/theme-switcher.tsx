import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { setThemeMode, type ThemeMode, themeModes, useThemeMode } from './color-scheme.ts';
import { IconClockHour4, IconMoon, IconSun } from '@tabler/icons-react';
import classes from './switchers.module.css';

const icons: Record<ThemeMode, typeof IconSun> = { LIGHT: IconSun, DARK: IconMoon, AUTO: IconClockHour4 };

export function ThemeSwitcher() {
  const { t } = useTranslation();
  const current = useThemeMode();
  const name = useId();
  return (
    <fieldset className={classes['segments']}>
      <legend className={classes['hidden']}>{t('theme')}</legend>
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
