import { Center, Loader } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../ui/dialog.tsx';

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
