import type { CannedReply } from '@cellhop/contract/staff/canned-replies';
import { cannedReplyBody, type CannedReplyBody } from '@cellhop/contract/staff/canned-replies.forms';
import { zodResolver } from '@hookform/resolvers/zod';
import { Alert, Button, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../data/error-text.ts';
import { fieldErrorText, formErrorMap } from '../../data/form-errors.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { isConflict } from './api.ts';
import { useCannedReplies, useSaveCannedReply } from './canned-replies-api.ts';

interface CannedReplyDialogProps {
  /** Undefined: a new one. */
  reply: CannedReply | undefined;
  isOpen: boolean;
  onClose: () => void;
}

export function CannedReplyDialog({ reply, isOpen, onClose }: CannedReplyDialogProps) {
  const { t } = useTranslation('staffSupport');
  return (
    <Dialog isOpen={isOpen} title={t(reply === undefined ? 'replies.add' : 'replies.editing')} onClose={onClose}>
      {isOpen && <CannedReplyForm reply={reply} onSaved={onClose} />}
    </Dialog>
  );
}

interface CannedReplyFormProps {
  reply: CannedReply | undefined;
  onSaved: () => void;
}

function CannedReplyForm({ reply, onSaved }: CannedReplyFormProps) {
  const { t } = useTranslation('staffSupport');
  // After a change by somebody else the list is refetched, and the form can adopt its values.
  const current = useCannedReplies().rows?.find(({ id }) => id === reply?.id) ?? reply;
  const [base, setBase] = useState(reply);
  const saving = useSaveCannedReply(base);
  const form = useForm<CannedReplyBody>({
    resolver: zodResolver(cannedReplyBody, { error: formErrorMap }),
    defaultValues: valuesOf(reply),
  });
  const { errors } = form.formState;
  const submit = form.handleSubmit(async (body) => {
    if ((await saving.run(body)) !== undefined) onSaved();
  });

  function takeOver(): void {
    setBase(current);
    form.reset(valuesOf(current));
    saving.reset();
  }

  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Stack>
        {saving.error !== null && (
          <Alert role="alert" color="red" variant="light">
            {errorText(saving.error)}
            {isConflict(saving.error) && (
              <Button mt="xs" size="compact-sm" variant="default" onClick={takeOver}>
                {t('replies.takeOver')}
              </Button>
            )}
          </Alert>
        )}
        <TextInput
          {...form.register('title')}
          label={t('replies.name')}
          size="md"
          data-autofocus
          error={fieldErrorText(errors.title)}
        />
        <Textarea
          {...form.register('contentEn')}
          label={t('replies.english')}
          size="md"
          rows={5}
          error={fieldErrorText(errors.contentEn)}
        />
        <Textarea
          {...form.register('contentRu')}
          label={t('replies.russian')}
          size="md"
          rows={5}
          error={fieldErrorText(errors.contentRu)}
        />
        <Button type="submit" size="md" loading={saving.isRunning}>
          {t('replies.save')}
        </Button>
      </Stack>
    </form>
  );
}

function valuesOf(reply: CannedReply | undefined): CannedReplyBody {
  return { title: reply?.title ?? '', contentEn: reply?.contentEn ?? '', contentRu: reply?.contentRu ?? '' };
}
