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
    <Dialog isOpen={isOpen} title={t('renew.title')} isHeld={renewal.isSuccess} onClose={close}>
      {renewal.data === undefined ? (
        <ProofForm
          text={t('renew.text')}
          submitText={t('renew.submit')}
          error={renewal.error}
          isSending={renewal.isPending}
          onProof={renewal.mutateAsync}
        />
      ) : (
        <RecoveryCodes codes={renewal.data} onDone={close} />
      )}
    </Dialog>
  );
}
