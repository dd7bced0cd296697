import { AccountPage } from '../../features/account/account-page.tsx';
import { changeLanguage } from '../change-language.ts';

export function AccountScreen() {
  return <AccountPage onLanguage={(language) => void changeLanguage(language)} />;
}
