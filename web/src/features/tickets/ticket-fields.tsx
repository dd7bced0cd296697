import { Textarea, TextInput } from '@mantine/core';
import type { FieldError, UseFormRegisterReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { fieldErrorText } from '../../data/form-errors.ts';

interface TicketFieldsProps {
  name: UseFormRegisterReturn;
  description: UseFormRegisterReturn;
  errors: { name?: FieldError | undefined; description?: FieldError | undefined };
  /** The dialog opens with the focus in the first field. */
  hasFocus?: boolean;
}

/** The name and description of a ticket, in the forms of customers and of staff. */
export function TicketFields({ name, description, errors, hasFocus = false }: TicketFieldsProps) {
  const { t } = useTranslation('support');
  return (
    <>
      <TextInput
        {...name}
        label={t('create.name')}
        size="md"
        data-autofocus={hasFocus || undefined}
        error={fieldErrorText(errors.name)}
      />
      <Textarea
        {...description}
        label={t('create.description')}
        size="md"
        rows={7}
        error={fieldErrorText(errors.description)}
      />
    </>
  );
}
