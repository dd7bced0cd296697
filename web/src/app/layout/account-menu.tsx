import { useTranslation } from 'react-i18next';
import { later, useLater } from '../../lib/use-later.ts';
import { AccountButton } from './account-button.tsx';

const menu = later(async () => (await import('./account-menu-items.tsx')).AccountMenuItems);

export function AccountMenu({ email }: { email: string }) {
  const { t } = useTranslation();
  const [Items, open] = useLater(menu);
  if (Items !== undefined) return <Items email={email} />;
  return <AccountButton aria-label={t('account')} aria-haspopup="menu" aria-expanded={false} onClick={open} />;
}
