import { Alert } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { errorText } from '../../data/error-text.ts';

/** The server's error, above the fields. */
export function FormAlert({ error }: { error: unknown }) {
  if (error === null || error === undefined) return null;
  return (
    <Alert role="alert" color="red" variant="light" icon={<IconAlertCircle stroke={1.7} aria-hidden="true" />}>
      {errorText(error)}
    </Alert>
  );
}
