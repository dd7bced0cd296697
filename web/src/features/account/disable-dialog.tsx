import { useTranslation } from 'react-i18next';
import { Dialog } from '../../ui/dialog.tsx';
import { useDisableSecondFactor } from './api.ts';
import { ProofForm } from './proof-form.tsx';

export function DisableDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTranslation('user');
  const disabling = useDisableSecondFactor();

  function close() {
    disabling.reset();
    onClose();
  }

  return (
    <Dialog isOpen={isOpen} title={t('disable.title')} size="sm" onClose={close}>
      <ProofForm
        text={t('disable.text')}
        submitText={t('disable.submit')}
        isDangerous
        action={disabling}
        onDone={close}
      />
    </Dialog>
  );
}
