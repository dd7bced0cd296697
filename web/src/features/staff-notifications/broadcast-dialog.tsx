import type { SendBroadcastBody } from '@cellhop/contract/staff/notifications';
import { zodResolver } from '@hookform/resolvers/zod';
import { Alert, Button, Stack } from '@mantine/core';
import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { languages } from '../../i18n/languages.ts';
import { formErrorMap } from '../../data/form-errors.ts';
import { useLastDefined } from '../../hooks/use-last-defined.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useCountRecipients, useSendBroadcast } from './api.ts';
import { audienceWords } from './audience-words.ts';
import { type BroadcastFormState, AudienceFields } from './audience-fields.tsx';
import { type BroadcastForm, broadcastForm, emptyBroadcast } from './broadcast-form.ts';
import { NotificationFields } from './notification-fields.tsx';
import { formatRecipients } from './recipient-count.ts';
import classes from './staff-notifications.module.css';

interface BroadcastDialogProps {
  isOpen: boolean;
  onClose: () => void;
}

export function BroadcastDialog({ isOpen, onClose }: BroadcastDialogProps) {
  const { t } = useTranslation('staffContent');
  return (
    <Dialog isOpen={isOpen} title={t('broadcasts.create')} size="lg" onClose={onClose}>
      <BroadcastFields onSent={onClose} />
    </Dialog>
  );
}

interface Confirmation {
  body: SendBroadcastBody;
  count: number;
}

/** Counts the recipients before it asks for confirmation. */
function BroadcastFields({ onSent }: { onSent: () => void }) {
  const { t } = useTranslation('staffContent');
  const counting = useCountRecipients();
  const [confirmation, setConfirmation] = useState<Confirmation>();
  const [hasNobody, setNobody] = useState(false);
  const form: BroadcastFormState = useForm<BroadcastForm, unknown, SendBroadcastBody>({
    resolver: zodResolver(broadcastForm, { error: formErrorMap }),
    defaultValues: emptyBroadcast,
  });
  const submit = form.handleSubmit(async (body) => {
    const count = await counting.run(body.audience);
    if (count === undefined) return;
    setNobody(count === 0);
    if (count > 0) setConfirmation({ body, count });
  });
  return (
    <>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <Stack>
          <p className={classes['hint']}>{t('notifications.htmlHint')}</p>
          <div className={classes['columns']}>
            <Texts form={form} />
          </div>
          <AudienceFields form={form} />
          {hasNobody && (
            <Alert role="alert" color="yellow" variant="light">
              {t('broadcasts.nobody')}
            </Alert>
          )}
          <Button type="submit" loading={counting.isRunning}>
            {t('broadcasts.next')}
          </Button>
        </Stack>
      </form>
      <ConfirmSending confirmation={confirmation} onClose={() => setConfirmation(undefined)} onSent={onSent} />
    </>
  );
}

function Texts({ form }: { form: BroadcastFormState }) {
  const values = useWatch({ control: form.control });
  return languages.map((language) => (
    <NotificationFields
      key={language}
      language={language}
      register={(name) => form.register(`${language}.${name}`)}
      errors={form.formState.errors[language]}
      values={values[language]}
      hasFirstFocus={language === 'en'}
    />
  ));
}

interface ConfirmSendingProps {
  confirmation: Confirmation | undefined;
  onClose: () => void;
  onSent: () => void;
}

function ConfirmSending({ confirmation, onClose, onSent }: ConfirmSendingProps) {
  const { t } = useTranslation(['staffContent', 'common']);
  const sending = useSendBroadcast();
  const shown = useLastDefined(confirmation);
  const audience = shown === undefined ? '' : audienceWords(shown.body.audience, t).join('; ');
  return (
    <ConfirmDialog
      isOpen={confirmation !== undefined}
      title={t('broadcasts.confirm.title', { count: shown?.count ?? 0, number: formatRecipients(shown?.count ?? 0) })}
      text={t('broadcasts.confirm.text', { audience })}
      action={t('broadcasts.confirm.action')}
      isWorking={sending.isRunning}
      onConfirm={async () => {
        if (confirmation !== undefined && (await sending.run(confirmation.body)) !== undefined) onSent();
      }}
      onClose={onClose}
    />
  );
}
