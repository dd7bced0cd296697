import { Menu } from '@mantine/core';
import { IconLogout, IconSettings } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { usePopupTrigger } from '../../ui/mantine-overlays.ts';
import { AccountButton } from './account-menu.tsx';
import { logOut } from './log-out.ts';
import classes from './top-bar.module.css';

/** Replaces the button that was clicked, and opens. */
export function AccountMenuItems({ email }: { email: string }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { isOpen, setOpen, trigger } = usePopupTrigger();

  async function logOutAndLeave() {
    await logOut();
    // After a log-out, sign-in does not return to this page.
    await navigate({ to: '/sign-in', replace: true });
  }

  return (
    <Menu
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      width={220}
      withInitialFocusPlaceholder={false}
      // In the landmark of the top bar.
      withinPortal={false}
    >
      <Menu.Target>
        <AccountButton ref={trigger} aria-label={t('account')} />
      </Menu.Target>
      <Menu.Dropdown aria-label={t('account')}>
        <Menu.Label className={classes['email'] ?? ''}>{email}</Menu.Label>
        <Menu.Item
          component={Link}
          to="/account"
          leftSection={<IconSettings size={18} stroke={1.6} aria-hidden="true" />}
        >
          {t('accountSettings')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconLogout size={18} stroke={1.6} aria-hidden="true" />}
          onClick={() => void logOutAndLeave()}
        >
          {t('logOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
