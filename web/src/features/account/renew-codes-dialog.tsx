import { useTranslation } from 'react-i18next';
import { Dialog } from '../../ui/dialog.tsx';
import { useRenewRecoveryCodes } from './api.ts';
import { ProofForm } from './proof-form.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

export function RenewCodesDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTranslation('user');
  const renewal = useRenewRecoveryCodes();

  function close() {
    renewal.reset();
    onClose();
  }

  return (
    <Dialog isOpen={isOpen} title={t('renew.title')} isHeld={renewal.result !== undefined} onClose={close}>
      {renewal.result === undefined ? (
        <ProofForm text={t('renew.text')} submitText={t('renew.submit')} action={renewal} />
      ) : (
        <RecoveryCodes codes={renewal.result} onDone={close} />
      )}
    </Dialog>
  );
}
