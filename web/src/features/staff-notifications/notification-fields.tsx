import type { NotificationText } from '@cellhop/contract/staff/notifications';
import { Textarea } from '@mantine/core';
import { useState } from 'react';
import type { FieldErrors, UseFormRegisterReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { Language } from '../../i18n/languages.ts';
import { fieldErrorText } from '../../data/form-errors.ts';
import { NotificationItem } from '../notifications/notifications-list.tsx';
import type { NotificationForm } from './broadcast-form.ts';
import classes from './staff-notifications.module.css';

interface NotificationFieldsProps {
  /** Undefined if there is only one language. */
  language?: Language;
  register: (name: keyof NotificationForm) => UseFormRegisterReturn;
  errors: FieldErrors<NotificationForm> | undefined;
  values: Partial<NotificationForm> | undefined;
  hasFirstFocus?: boolean;
}

/** The texts of a notification in one language, with a preview. */
export function NotificationFields({ language, register, errors, values, hasFirstFocus }: NotificationFieldsProps) {
  const { t } = useTranslation(['staffContent', 'common']);
  const suffix = language === undefined ? '' : ` (${t(`common:languages.${language}`)})`;
  return (
    <div className={classes['fields']}>
      <Textarea
        {...register('description')}
        label={`${t('notifications.description')}${suffix}`}
        autosize
        minRows={2}
        maxRows={6}
        data-autofocus={hasFirstFocus}
        error={fieldErrorText(errors?.description)}
      />
      <Textarea
        {...register('content')}
        label={`${t('notifications.content')}${suffix}`}
        autosize
        minRows={2}
        maxRows={8}
        error={fieldErrorText(errors?.content)}
      />
      <NotificationPreview label={`${t('notifications.preview')}${suffix}`} text={values} />
    </div>
  );
}

/** A preview of the notification as an unread entry of the bell. */
function NotificationPreview({ label, text }: { label: string; text: Partial<NotificationText> | undefined }) {
  const [now] = useState(() => new Date().toISOString());
  const { description = '', content = '' } = text ?? {};
  const notification = { description, content: content.trim() === '' ? null : content, createdAt: now };
  return (
    <section className={classes['preview']} aria-label={label}>
      <ul>
        <NotificationItem notification={notification} isFresh onLeave={undefined} />
      </ul>
    </section>
  );
}
