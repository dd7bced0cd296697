import type { Connection } from '@cellhop/contract/connections';
import { CONNECTION_LABEL_LENGTH_MAX } from '@cellhop/contract/limits';
import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLabel } from './api.ts';
import classes from './label-form.module.css';

/** The form for the label of a connection. */
export function LabelForm({ connection: { id, label } }: { connection: Connection }) {
  const { t } = useTranslation('proxyConnection');
  const [text, setText] = useState(label);
  const saving = useLabel();
  return (
    <form
      className={classes['form']}
      onSubmit={(event) => {
        event.preventDefault();
        void saving.run({ id, label: text });
      }}
    >
      <TextInput
        label={t('label.field')}
        description={t('label.hint')}
        maxLength={CONNECTION_LABEL_LENGTH_MAX}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Button type="submit" variant="default" disabled={text.trim() === label} loading={saving.isRunning}>
        {t('label.save')}
      </Button>
    </form>
  );
}
