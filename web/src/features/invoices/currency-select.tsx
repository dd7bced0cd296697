import type { CurrencyState } from '@cellhop/contract/invoices';
import { Alert, Select, type SelectProps, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

interface CurrencySelectProps extends Omit<SelectProps, 'data'> {
  currencies: readonly CurrencyState[];
}

/** Unavailable currencies stay in the list, with the reason. */
export function CurrencySelect({ currencies, ...props }: CurrencySelectProps) {
  const { t } = useTranslation('payment');
  const problemOf = (value: string) => currencies.find(({ currency }) => currency === value)?.problem ?? null;
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
      renderOption={({ option: { value, label } }) => {
        const problem = problemOf(value);
        return (
          <div>
            {label}
            {problem !== null && <Text size="sm">{t(`create.problems.${problem}`)}</Text>}
          </div>
        );
      }}
    />
  );
}

/** Explains why the chosen currency, or every currency, is unavailable. */
export function CurrencyNotice({ currencies, chosen }: { currencies: readonly CurrencyState[]; chosen: unknown }) {
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

export function isAnyAvailable(currencies: readonly CurrencyState[]): boolean {
  return currencies.some(({ problem }) => problem === null);
}
