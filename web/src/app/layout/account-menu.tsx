import { IconUserCircle } from '@tabler/icons-react';
import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart, useLazyPart } from '../../loading/use-lazy-part.ts';
import { IconButton } from '../../ui/icon-button.tsx';

const menu = lazyPart(async () => (await import('./account-menu-items.tsx')).AccountMenuItems);

export function AccountMenu({ email }: { email: string }) {
  const { t } = useTranslation();
  const [Items, open] = useLazyPart(menu);
  if (Items !== undefined) return <Items email={email} />;
  return <AccountButton aria-label={t('account')} aria-haspopup="menu" aria-expanded={false} onClick={open} />;
}

export function AccountButton(props: Omit<ComponentProps<typeof IconButton>, 'children'>) {
  return (
    <IconButton {...props}>
      <IconUserCircle size={24} stroke={1.5} aria-hidden="true" />
    </IconButton>
  );
}
