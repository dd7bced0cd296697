import { IconLayoutSidebar, IconLayoutSidebarFilled, IconWallet } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useApiQuery } from '../../data/use-api-query.ts';
import { useLiveConnections } from '../../features/connections/api.ts';
import { NotificationsBell } from '../../features/notifications/notifications-bell.tsx';
import { formatBalance } from '../../format/money.ts';
import { useDocumentTitle } from '../../hooks/use-document-title.ts';
import { loadTexts } from '../../i18n/setup.ts';
import { profileQuery } from '../../session/profile.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Money } from '../../ui/money.tsx';
import { AccountMenu } from './account-menu.tsx';
import { type SlotProps, StaffSlot, staffPart } from './staff-slot.tsx';
import classes from './top-bar.module.css';

const staffSearch = staffPart<SlotProps>(async () => {
  const code = import('../../features/staff-search/staff-search.tsx');
  // The names of currencies.
  await loadTexts('payment')();
  return (await code).StaffSearch;
});

interface TopBarProps {
  title: string | undefined;
  titleId: string;
  /** Screens below another one set the document title themselves. */
  namesTab: boolean;
  isMenuShown: boolean;
  isStaffArea: boolean;
  onToggleMenu: () => void;
}

export function TopBar({ title, titleId, namesTab, isMenuShown, isStaffArea, onToggleMenu }: TopBarProps) {
  const { t } = useTranslation();
  useDocumentTitle(namesTab ? title : undefined);
  const profile = useLiveProfile();
  const balance = profile?.balance ?? 0;
  const MenuIcon = isMenuShown ? IconLayoutSidebarFilled : IconLayoutSidebar;
  return (
    <header className={classes['bar']} data-area={isStaffArea ? 'staff' : undefined}>
      <IconButton
        aria-label={t(isMenuShown ? 'menu.hide' : 'menu.show')}
        aria-expanded={isMenuShown}
        onClick={onToggleMenu}
      >
        <MenuIcon size={21} stroke={1.6} aria-hidden="true" />
      </IconButton>
      <h1 id={titleId} className={classes['title']}>
        {title}
      </h1>
      <div className={classes['end']}>
        <Link
          to="/payments/invoices"
          search={{ create: true }}
          className={classes['balance']}
          aria-label={t('balanceOf', { amount: formatBalance(balance) })}
        >
          <IconWallet size={18} stroke={1.6} aria-hidden="true" />
          <Money dollars={balance} format={formatBalance} />
        </Link>
        <StaffSlot part={staffSearch} />
        <NotificationsBell />
        <AccountMenu email={profile?.email ?? ''} />
      </div>
    </header>
  );
}

/** The signed-in user. Their balance is polled more often while a connection works. */
function useLiveProfile() {
  const { hasLive, balance } = useLiveConnections();
  const profile = useApiQuery(profileQuery, { isBusy: () => hasLive }).response?.data;
  return profile !== undefined && balance !== undefined ? { ...profile, balance } : profile;
}
