import { createInvoiceBody, currencies, type Invoice } from '@cellhop/contract/invoices';
import { zodResolver } from '@hookform/resolvers/zod';
import { Alert, Button, NumberInput, Select, Stack } from '@mantine/core';
import { Controller, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../lib/error-text.ts';
import { fieldErrorText, formErrorMap } from '../../lib/form-errors.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { useCreateInvoice } from './api.ts';

interface CreateInvoiceDialogProps {
  isOpen: boolean;
  onClose: () => void;
  onCreated: (invoice: Invoice) => void;
}

export function CreateInvoiceDialog({ isOpen, onClose, onCreated }: CreateInvoiceDialogProps) {
  const { t } = useTranslation('payment');
  return (
    <Dialog isOpen={isOpen} title={t('create.title')} size="sm" onClose={onClose}>
      <CreateInvoiceForm onCreated={onCreated} />
    </Dialog>
  );
}

/** Lives as long as the dialog is open, so that each dialog starts empty. */
function CreateInvoiceForm({ onCreated }: Pick<CreateInvoiceDialogProps, 'onCreated'>) {
  const { t } = useTranslation(['payment', 'common']);
  const creation = useCreateInvoice();
  const form = useForm({ resolver: zodResolver(createInvoiceBody, { error: formErrorMap }) });
  const { errors } = form.formState;
  const submit = form.handleSubmit((body) => creation.mutate(body, { onSuccess: onCreated }));
  const names = currencies.map((value) => ({ value, label: t(`networks.${value}`) }));

  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Stack>
        {creation.error !== null && (
          <Alert role="alert" color="red" variant="light">
            {errorText(creation.error)}
          </Alert>
        )}
        <Controller
          control={form.control}
          name="amount"
          render={({ field: { value, onChange, ...field } }) => (
            <NumberInput
              {...field}
              label={t('create.amount')}
              data-autofocus
              prefix="$"
              decimalScale={2}
              allowNegative={false}
              hideControls
              size="md"
              value={value ?? ''}
              onChange={(amount) => onChange(typeof amount === 'number' ? amount : undefined)}
              error={fieldErrorText(errors.amount)}
            />
          )}
        />
        <Controller
          control={form.control}
          name="currency"
          render={({ field: { value, onChange, ...field } }) => (
            <Select
              {...field}
              label={t('create.currency')}
              placeholder={t('create.choose')}
              size="md"
              allowDeselect={false}
              data={names}
              value={value ?? null}
              onChange={onChange}
              error={fieldErrorText(errors.currency)}
            />
          )}
        />
        <Button type="submit" size="md" loading={creation.isPending}>
          {t('create.submit')}
        </Button>
      </Stack>
    </form>
  );
}
