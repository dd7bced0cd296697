import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { type Bounds, type NumberKindName, numberKinds, readNumber } from '../format/number-kinds.ts';
import { withReading } from './field-reading.tsx';

interface NumberFieldProps
  extends Omit<TextInputProps, 'value' | keyof Bounds | 'inputContainer' | 'inputMode'>, Bounds {
  kind: NumberKindName;
  /** As typed: `readNumber` with the same kind and bounds has the number. */
  value: string;
}

/** The one field for a number of any kind. Shows what it has read from the text, or why it cannot. */
export function NumberField({ kind, value, min, max, isNonZero, error, onBlur, ...input }: NumberFieldProps) {
  const { unit, decimals, isSigned } = numberKinds[kind];
  const { shown, fault, isTooSmall = false } = readNumber(kind, value, { min, max, isNonZero });
  const [isLeft, setLeft] = useState(false);
  // The first digit of a number is smaller than the number.
  const isTyping = isTooSmall && !isLeft && !error;
  return (
    <TextInput
      autoComplete="off"
      leftSection={unit === '$' ? '$' : undefined}
      {...input}
      value={value}
      // The numeric keypads of phones have no sign.
      inputMode={isSigned ? 'text' : decimals === 0 ? 'numeric' : 'decimal'}
      error={isTyping ? undefined : (fault ?? error)}
      onFocus={() => setLeft(false)}
      onBlur={(event) => {
        setLeft(true);
        onBlur?.(event);
      }}
      inputContainer={(field) => withReading(field, shown)}
    />
  );
}
