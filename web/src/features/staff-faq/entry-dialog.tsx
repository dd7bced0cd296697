import type { FaqEntry, FaqTexts } from '@cellhop/contract/staff/faq';
import { Alert, Button, Group, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type UseFormReturn, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useSchemaForm } from '../../hooks/use-schema-form.ts';
import { type Language, languages } from '../../i18n/languages.ts';
import { fieldErrorText } from '../../data/form-errors.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { FaqList } from '../faq/faq-page.tsx';
import { useSaveEntry } from './api.ts';
import { EntryTexts } from './entry-card.tsx';
import { type EntryForm, entryForm, toForm, toPreview } from './entry-form.ts';
import classes from './faq-page.module.css';

interface EntryDialogProps {
  isOpen: boolean;
  /** The entry when the dialog was opened; undefined for a new one. */
  entry: FaqEntry | undefined;
  /** The current entry; undefined for a new one, or if others have deleted it. */
  current?: FaqEntry | undefined;
  onClose: () => void;
}

/** Edits both languages of an entry together. */
export function EntryDialog({ isOpen, entry, current, onClose }: EntryDialogProps) {
  const { t } = useTranslation('staffContent');
  return (
    <Dialog isOpen={isOpen} title={t(entry === undefined ? 'faq.create' : 'faq.change')} size="lg" onClose={onClose}>
      <EntryFields entry={entry} current={current} onSaved={onClose} />
    </Dialog>
  );
}

type Form = UseFormReturn<EntryForm, unknown, FaqTexts>;

interface EntryFieldsProps extends Pick<EntryDialogProps, 'entry' | 'current'> {
  onSaved: () => void;
}

function EntryFields({ entry, current, onSaved }: EntryFieldsProps) {
  const { t } = useTranslation('staffContent');
  // The version of the entry that the form is based on: changes by others are not overwritten before the member of staff has decided.
  const [base, setBase] = useState(entry);
  const saving = useSaveEntry();
  const form: Form = useSchemaForm(entryForm, toForm(entry?.texts));
  const submit = form.handleSubmit(async (texts) => {
    if ((await saving.run({ texts, seen: base })) !== undefined) onSaved();
  });

  function takeOver(latest: FaqEntry): void {
    setBase(latest);
    form.reset(toForm(latest.texts));
  }

  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Stack>
        {current !== undefined && current.version !== base?.version && (
          <Alert role="alert" color="yellow" variant="light" title={t('faq.changedElsewhere')}>
            <Stack>
              <EntryTexts texts={current.texts} />
              <Group gap="xs">
                <Button size="compact-sm" variant="default" onClick={() => takeOver(current)}>
                  {t('faq.takeOver')}
                </Button>
                <Button size="compact-sm" variant="default" onClick={() => setBase(current)}>
                  {t('faq.keepMine')}
                </Button>
              </Group>
            </Stack>
          </Alert>
        )}
        <div className={classes['fields']}>
          {languages.map((language) => (
            <LanguageFields key={language} language={language} form={form} />
          ))}
        </div>
        <Preview form={form} />
        <Button type="submit" loading={saving.isRunning}>
          {t('faq.save')}
        </Button>
      </Stack>
    </form>
  );
}

function LanguageFields({ language, form }: { language: Language; form: Form }) {
  const { t } = useTranslation(['staffContent', 'common']);
  const errors = form.formState.errors[language];
  const name = t(`common:languages.${language}`);
  return (
    <Stack>
      <TextInput
        {...form.register(`${language}.question`)}
        label={t('faq.question', { language: name })}
        lang={language}
        data-autofocus={language === 'en' || undefined}
        error={fieldErrorText(errors?.question)}
      />
      <Textarea
        {...form.register(`${language}.response`)}
        label={t('faq.response', { language: name })}
        lang={language}
        autosize
        minRows={5}
        maxRows={12}
        error={fieldErrorText(errors?.response)}
      />
    </Stack>
  );
}

/** The entry as customers would see it. */
function Preview({ form }: { form: Form }) {
  const { t } = useTranslation('staffContent');
  const values = useWatch({ control: form.control });
  const items = languages.flatMap((language) => {
    const { question = '', response = '' } = values[language] ?? {};
    const text = toPreview({ question, response });
    return text === undefined ? [] : [{ id: language, ...text }];
  });
  if (items.length === 0) return null;
  return (
    <section aria-label={t('faq.preview')}>
      <FaqList items={items} />
    </section>
  );
}
