import { Alert, Button, Group } from '@mantine/core';
import { IconShieldLock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { profileQuery } from '../../lib/profile.ts';

/** On every page of staff whose permissions wait for two-factor sign-in. */
export function SecondFactorNotice() {
  const { t } = useTranslation();
  const secondFactor = useQuery(profileQuery).data?.data.secondFactor;
  if (secondFactor !== 'DUE') return null;
  return (
    <Alert color="yellow" variant="light" mb="lg" icon={<IconShieldLock aria-hidden="true" />}>
      <Group justify="space-between">
        {t('secondFactorDue')}
        <Button component={Link} to="/account" hash="second-factor" variant="default" size="compact-md">
          {t('secondFactorSetUp')}
        </Button>
      </Group>
    </Alert>
  );
}
