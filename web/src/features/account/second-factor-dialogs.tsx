import { Center, Loader } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../ui/dialog.tsx';
import { useRenewRecoveryCodes, useDisableSecondFactor } from './api.ts';
import { ProofForm } from './proof-form.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

/** Used rarely, so the library for QR codes is loaded on demand. */
const SetUpSteps = lazy(async () => ({ default: (await import('./set-up-steps.tsx')).SetUpSteps }));

export function SetUpDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTranslation('user');
  const [hasCodes, setHasCodes] = useState(false);

  function close() {
    setHasCodes(false);
    onClose();
  }

  return (
    <Dialog isOpen={isOpen} title={t(hasCodes ? 'codes.title' : 'setUp.title')} isHeld={hasCodes} onClose={close}>
      <Suspense
        fallback={
          <Center mih={200}>
            <Loader />
          </Center>
        }
      >
        <SetUpSteps onCodes={() => setHasCodes(true)} onDone={close} />
      </Suspense>
    </Dialog>
  );
}

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
