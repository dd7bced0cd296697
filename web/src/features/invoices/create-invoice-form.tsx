import type { CreateInvoiceBody, CurrencyState, Invoice } from '@cellhop/contract/invoices';
import { currencies as currencyCodes } from '@cellhop/contract/invoices.values';
import { INVOICE_DOLLARS_MAX, INVOICE_DOLLARS_MIN } from '@cellhop/contract/limits';
import { Alert, Button, Group, Stack, Select, type SelectProps, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Controller, type UseFormReturn, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../data/error-text.ts';
import { fieldErrorText } from '../../data/form-errors.ts';
import { formatMoney } from '../../format/format.ts';
import { readNumber } from '../../format/number-kinds.ts';
import { NumberField } from '../../ui/number-field.tsx';
import { useDraft, useKeptDraft } from '../../hooks/use-draft.ts';
import { useSchemaForm } from '../../hooks/use-schema-form.ts';
import { AmountPresets } from './amount-presets.tsx';
import { useCreateInvoice, useCurrencies, useLastCurrency, useReplacedInvoice } from './api.ts';
import { CoinIcon } from './coin-icon.tsx';
import { type InvoiceForm, invoiceForm, isInvoiceDraft } from './invoice-form.ts';
import { withTicker } from './ticker.ts';

interface CreateInvoiceFormProps {
  onCreated: (invoice: Invoice) => void;
  onShow: (invoice: Invoice) => void;
}

/** Starts with the draft of an interrupted session, if there is one. */
export function CreateInvoiceForm({ onCreated, onShow }: CreateInvoiceFormProps) {
  const { t } = useTranslation(['payment', 'common']);
  const creation = useCreateInvoice();
  const draft = useDraft('invoice', isInvoiceDraft);
  const form = useSchemaForm(invoiceForm, draft.read() ?? {});
  useKeptDraft(form, draft);
  const currencies = useCurrencies();
  const chosen = useWatch({ control: form.control, name: 'currency' });
  const amount = useWatch({ control: form.control, name: 'amount' }) ?? '';
  const { replaced, keep, release } = useReplacedAtClick(chosen);
  const submit = form.handleSubmit(async (body) => {
    keep();
    const invoice = await creation.run(body);
    if (invoice === undefined) return release();
    draft.write(undefined);
    onCreated(invoice);
  });

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
            <NumberField
              {...field}
              kind="money"
              min={INVOICE_DOLLARS_MIN}
              max={INVOICE_DOLLARS_MAX}
              label={t('create.amount')}
              description={t('create.minimum', { amount: formatMoney(INVOICE_DOLLARS_MIN) })}
              data-autofocus
              size="md"
              value={value ?? ''}
              onChange={onChange}
              error={fieldErrorText(form.formState.errors.amount)}
            />
          )}
        />
        <AmountPresets
          amount={amount}
          onChoose={(dollars) => form.setValue('amount', dollars, { shouldDirty: true, shouldValidate: true })}
        />
        <CurrencyField form={form} currencies={currencies} />
        <EstimatedAmount currencies={currencies} chosen={chosen} amount={amount} />
        <CurrencyNotice currencies={currencies} chosen={chosen} />
        {replaced !== undefined && <ReplacedInvoice invoice={replaced} onShow={onShow} />}
        <Button type="submit" size="md" loading={creation.isRunning} disabled={!isAnyAvailable(currencies)}>
          {t('create.submit')}
        </Button>
      </Stack>
    </form>
  );
}

/** The open invoice that a new one ends. After the click it stays the same, because the list gets the new one while the form closes. */
function useReplacedAtClick(currency: Invoice['currency'] | undefined) {
  const open = useReplacedInvoice(currency);
  const [kept, setKept] = useState<{ invoice: Invoice | undefined }>();
  return {
    replaced: kept === undefined ? open : kept.invoice,
    keep: () => setKept({ invoice: open }),
    release: () => setKept(undefined),
  };
}

/** Warns that the new invoice ends an open one. */
function ReplacedInvoice({ invoice, onShow }: { invoice: Invoice; onShow: (invoice: Invoice) => void }) {
  const { t } = useTranslation('payment');
  return (
    <Alert role="alert" color="yellow" variant="light">
      {t('create.replaces', { amount: formatMoney(invoice.amount) })}
      <Button variant="subtle" size="compact-sm" onClick={() => onShow(invoice)}>
        {t('create.openExisting')}
      </Button>
    </Alert>
  );
}

interface CurrencyFieldProps {
  form: UseFormReturn<Partial<InvoiceForm>, unknown, CreateInvoiceBody>;
  currencies: readonly CurrencyState[];
}

/** The currency of the last invoice is chosen, and first in the list. */
function CurrencyField({ form, currencies }: CurrencyFieldProps) {
  const { t } = useTranslation('payment');
  const last = useLastCurrency();
  useEffect(() => {
    if (last !== undefined && form.getValues('currency') === undefined) form.setValue('currency', last);
    // Only when it becomes known: a currency that the user has chosen stays.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [last]);
  return (
    <Controller
      control={form.control}
      name="currency"
      render={({ field: { value, onChange, ...field } }) => (
        <CurrencySelect
          {...field}
          currencies={currencies.toSorted((a, b) => Number(b.currency === last) - Number(a.currency === last))}
          label={t('create.currency')}
          placeholder={t('create.choose')}
          value={value ?? null}
          onChange={onChange}
          error={fieldErrorText(form.formState.errors.currency)}
        />
      )}
    />
  );
}

interface EstimatedAmountProps {
  currencies: readonly CurrencyState[];
  chosen: Invoice['currency'] | undefined;
  /** As typed. */
  amount: string;
}

/** What the invoice will ask for, at the current rate. Its place is kept, so that the button does not move. */
function EstimatedAmount({ currencies, chosen, amount }: EstimatedAmountProps) {
  const { t } = useTranslation('payment');
  const dollarsPerCoin = Number(currencies.find(({ currency }) => currency === chosen)?.dollarsPerCoin ?? 0);
  const dollars = readNumber('money', amount).value;
  const isKnown = chosen !== undefined && dollarsPerCoin > 0 && dollars !== undefined;
  return (
    <Text size="sm" c="dimmed" mih="1.5em">
      {isKnown && t('create.estimate', { amount: withTicker(estimate(dollars / dollarsPerCoin, chosen)) })}
    </Text>
  );
}

const ESTIMATE_DIGITS = 4;

function estimate(coins: number, currency: Invoice['currency']) {
  const decimals = Math.max(2, ESTIMATE_DIGITS - Math.ceil(Math.log10(coins)));
  return { amountInCurrency: coins.toFixed(decimals), currency };
}

interface CurrencySelectProps extends Omit<SelectProps, 'data'> {
  currencies: readonly CurrencyState[];
}

/** Unavailable currencies stay in the list, with the reason. */
function CurrencySelect({ currencies, ...props }: CurrencySelectProps) {
  const { t } = useTranslation('payment');
  const findProblem = (value: string) => currencies.find(({ currency }) => currency === value)?.problem ?? null;
  const data = currencies.map(({ currency, problem }) => ({
    value: currency,
    label: t(`networks.${currency}`),
    disabled: problem !== null,
  }));
  return (
    <Select
      {...props}
      size="md"
      allowDeselect={false}
      data={data}
      leftSection={isCurrency(props.value) ? <CoinIcon currency={props.value} /> : undefined}
      renderOption={({ option: { value, label } }) => {
        const problem = findProblem(value);
        return (
          <Group gap="sm" wrap="nowrap">
            {isCurrency(value) && <CoinIcon currency={value} />}
            <div>
              {label}
              {problem !== null && <Text size="sm">{t(`create.problems.${problem}`)}</Text>}
            </div>
          </Group>
        );
      }}
    />
  );
}

function isCurrency(value: unknown): value is Invoice['currency'] {
  return currencyCodes.some((code) => code === value);
}

/** Explains why the chosen currency, or every currency, is unavailable. */
function CurrencyNotice({ currencies, chosen }: { currencies: readonly CurrencyState[]; chosen: unknown }) {
  const { t } = useTranslation('payment');
  const problem = currencies.find(({ currency }) => currency === chosen)?.problem ?? null;
  const text = isAnyAvailable(currencies)
    ? problem !== null && t(`create.problems.${problem}`)
    : t('create.noneAvailable');
  return (
    text !== false && (
      <Alert role="alert" color="yellow" variant="light">
        {text}
      </Alert>
    )
  );
}

function isAnyAvailable(currencies: readonly CurrencyState[]): boolean {
  return currencies.some(({ problem }) => problem === null);
}
