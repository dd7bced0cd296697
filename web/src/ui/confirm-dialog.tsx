import { Button, Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { destructive } from './destructive.ts';
import { Dialog } from './dialog.tsx';

interface ConfirmDialogProps {
  isOpen: boolean;
  title: string;
  text: string;
  /** Label of the confirm button. */
  action: string;
  isDangerous?: boolean;
  isWorking: boolean;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/** Asks for confirmation before an irreversible action. */
export function ConfirmDialog({ title, text, action, isDangerous = false, ...dialog }: ConfirmDialogProps) {
  const { t } = useTranslation();
  const { isOpen, isWorking, onConfirm, onClose } = dialog;
  return (
    <Dialog isOpen={isOpen} title={title} size="sm" isBrief onClose={onClose}>
      <Stack>
        <Text>{text}</Text>
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button {...(isDangerous && destructive.confirms)} loading={isWorking} onClick={() => void onConfirm()}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
