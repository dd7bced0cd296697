import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';

interface FilterTextProps extends Pick<TextInputProps, 'label' | 'placeholder' | 'maxLength'> {
  /** The applied text, from the URL. */
  value: string | undefined;
  /** @returns undefined if the text is none that the filter takes; then `invalid` is shown */
  read?: (text: string) => string | undefined;
  invalid?: string;
  /** @param value undefined: any */
  onChange: (value: string | undefined) => void;
}

const asTyped = (text: string) => text;

/** A text of a filter. Applied by Enter, which keeps the focus, or when the field is left. */
export function FilterText({ value, read = asTyped, invalid, onChange, ...field }: FilterTextProps) {
  const [text, setText] = useState(value ?? '');
  const [applied, setApplied] = useState(value);
  const [isInvalid, setInvalid] = useState(false);
  // A reset, or a link with another text.
  if (applied !== value) {
    setApplied(value);
    setText(value ?? '');
    setInvalid(false);
  }

  function apply(): void {
    const given = text.trim();
    const chosen = given === '' ? undefined : read(given);
    setInvalid(given !== '' && chosen === undefined);
    if (chosen !== value && (given === '' || chosen !== undefined)) onChange(chosen);
  }

  return (
    <TextInput
      {...field}
      autoComplete="off"
      spellCheck={false}
      value={text}
      error={isInvalid && invalid}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={apply}
      onKeyDown={({ key }) => key === 'Enter' && apply()}
    />
  );
}
