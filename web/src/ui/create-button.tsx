import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';

interface CreateButtonProps {
  text: string;
  disabled?: boolean;
  onClick: () => void;
}

/** Creates a row of a list. In the admin area it is at the end of the list's first line (`ListHead`, `FilterPanel`). */
export function CreateButton({ text, ...button }: CreateButtonProps) {
  return (
    <Button {...button} leftSection={<IconPlus size={18} aria-hidden="true" />}>
      {text}
    </Button>
  );
}
