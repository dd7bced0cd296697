import { Tooltip } from '@mantine/core';
import type { ReactElement } from 'react';

export function FlagTooltip({ name, children }: { name: string; children: ReactElement }) {
  return (
    <Tooltip opened label={name} withArrow>
      {children}
    </Tooltip>
  );
}
