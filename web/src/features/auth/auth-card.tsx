import { Alert, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { IconAlertCircle } from '@tabler/icons-react';

interface AuthCardProps {
  title: string;
  lead?: string;
  error?: string | undefined;
  children: ReactNode;
  links: ReactNode;
}

export function AuthCard({ title, lead, error, children, links }: AuthCardProps) {
  return (
    <Stack gap="lg">
      <Stack gap={4}>
        <Title order={1} fz={28} lh={1.2}>
          {title}
        </Title>
        {lead !== undefined && <Text c="dimmed">{lead}</Text>}
      </Stack>
      {error !== undefined && (
        <Alert role="alert" color="red" icon={<IconAlertCircle aria-hidden="true" />} styles={alertColors}>
          {error}
        </Alert>
      )}
      {children}
      <Stack gap={6} fz="sm">
        {links}
      </Stack>
    </Stack>
  );
}

const alertColors = {
  root: { background: 'var(--danger-soft)', border: '1px solid var(--danger)' },
  message: { color: 'var(--text)' },
  icon: { color: 'var(--danger)' },
};
