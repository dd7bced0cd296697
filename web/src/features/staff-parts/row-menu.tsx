import { Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { destructive } from '../../ui/destructive.ts';
import { IconButton } from '../../ui/icon-button.tsx';

interface RowAction {
  text: string;
  isDestructive?: boolean;
  onClick: () => void;
}

/** What can be done with a row. @param label names the row */
export function RowMenu({ label, actions }: { label: string; actions: readonly RowAction[] }) {
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <IconButton aria-label={label}>
          <IconDots size={18} aria-hidden="true" />
        </IconButton>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ text, isDestructive = false, onClick }) => (
          <Menu.Item key={text} {...(isDestructive && { color: destructive.opens.color })} onClick={onClick}>
            {text}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
