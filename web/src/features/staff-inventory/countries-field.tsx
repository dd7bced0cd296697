import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { countryName } from '../../format/format.ts';
import { withReading } from '../../ui/field-reading.tsx';
import { readCountries } from './choice.ts';

interface CountriesFieldProps {
  /** As typed: codes, separated by commas. */
  value: string;
  /** The codes of the applied filter. */
  applied: readonly string[] | undefined;
  onChange: (text: string) => void;
}

/** Names the countries whose codes it has read. */
export function CountriesField({ value, applied, onChange }: CountriesFieldProps) {
  const { t, i18n } = useTranslation('staffInventory');
  // The first letter of a code is no code.
  const [isLeft, setLeft] = useState(false);
  const { codes, unknown } = readCountries(value, applied);
  const names = codes.map((code) => countryName(code, i18n.language)).join(', ');
  return (
    <TextInput
      label={t('filter.countries')}
      placeholder="DE, FR"
      autoComplete="off"
      value={value}
      error={isLeft && unknown.length > 0 ? t('filter.countriesUnknown', { codes: unknown.join(', ') }) : undefined}
      onChange={(event) => onChange(event.currentTarget.value)}
      onFocus={() => setLeft(false)}
      onBlur={() => setLeft(true)}
      onKeyDown={({ key }) => setLeft(key === 'Enter')}
      inputContainer={(field) => withReading(field, names === '' || unknown.length > 0 ? undefined : names)}
    />
  );
}
