import { ActionIcon, Menu } from '@mantine/core';
import { IconLogout, IconSettings, IconUserCircle } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { logOut } from './log-out.ts';
import classes from './top-bar.module.css';

export function AccountMenu({ email }: { email: string }) {
  const { t } = useTranslation();
  const navigate = useNavigate();

  async function leave() {
    await logOut();
    // Whoever leaves on purpose is not led back to where he was.
    await navigate({ to: '/sign-in', replace: true });
  }

  return (
    <Menu position="bottom-end" width={220} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={38} aria-label={t('account')}>
          <IconUserCircle size={24} stroke={1.5} aria-hidden="true" />
        </ActionIcon>
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
