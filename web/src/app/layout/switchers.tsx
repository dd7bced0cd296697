import { LanguageSwitcher } from '../../ui/language-switcher.tsx';
import { ThemeSwitcher } from '../../ui/theme-switcher.tsx';
import { changeLanguage } from '../../session/change-language.ts';
import classes from './switchers.module.css';

export function Switchers() {
  return (
    <div className={classes['switchers']}>
      <LanguageSwitcher onChange={(language) => void changeLanguage(language)} />
      <ThemeSwitcher />
    </div>
  );
}
