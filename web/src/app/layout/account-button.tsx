import { IconUserCircle } from '@tabler/icons-react';
import type { ComponentProps } from 'react';
import { IconButton } from '../../ui/icon-button.tsx';

export function AccountButton(props: Omit<ComponentProps<typeof IconButton>, 'children'>) {
  return (
    <IconButton {...props}>
      <IconUserCircle size={24} stroke={1.5} aria-hidden="true" />
    </IconButton>
  );
}
