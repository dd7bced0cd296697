import { Menu } from '@mantine/core';
import { IconLogout, IconSettings } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useOpening } from '../../ui/use-opening.ts';
import { AccountButton } from './account-button.tsx';
import { logOut } from './log-out.ts';
import classes from './top-bar.module.css';

/** Takes the place of the button that was pressed, and opens. */
export function AccountMenuItems({ email }: { email: string }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { isOpen, setOpen, opener } = useOpening();

  async function leave() {
    await logOut();
    // Whoever leaves on purpose is not led back to where he was.
    await navigate({ to: '/sign-in', replace: true });
  }

  return (
    <Menu opened={isOpen} onChange={setOpen} position="bottom-end" width={220} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <AccountButton ref={opener} aria-label={t('account')} />
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
        <Menu.Item leftSection={<IconLogout size={18} stroke={1.6} aria-hidden="true" />} onClick={() => void leave()}>
          {t('logOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
