import { ActionIcon, Popover, TextInput } from '@mantine/core';
import { IconCalendar } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dayError, describeDay, formatDay, parseDay } from '../format/day.ts';
import { lazyPart, useLazyPart } from '../loading/use-lazy-part.ts';
import { withReading } from './field-reading.tsx';

const calendar = lazyPart(async () => (await import('./calendar.tsx')).Calendar);

interface DateFieldProps {
  label: string;
  /** A day such as 2026-11-21, '' for none; undefined while the text is invalid. */
  value: string | undefined;
  /** First and last day of the calendar. */
  min?: string | undefined;
  max?: string | undefined;
  /** Error of a valid day. */
  error?: string | undefined;
  onChange: (day: string | undefined) => void;
}

/**
 * The one field for a day: typed, or picked from a calendar. Repeats in words what it has read. The browser's own date input
 * would use the order of the browser's language.
 */
export function DateField({ label, value, min, max, error, onChange }: DateFieldProps) {
  const { t, i18n } = useTranslation();
  const [text, setText] = useState(() => formatDay(value ?? ''));
  const [isLeft, setLeft] = useState(false);
  const [lastValue, setLastValue] = useState(value);
  if (lastValue !== value) {
    setLastValue(value);
    // Changed from outside: by the back button, or a reset.
    if (value !== undefined && value !== parseDay(text)) setText(formatDay(value));
  }

  function write(next: string) {
    setText(next);
    setLeft(false);
    onChange(parseDay(next));
  }

  /** The text becomes the day as the app writes it. */
  function leave() {
    const day = parseDay(text);
    if (day !== undefined) setText(formatDay(day));
    setLeft(true);
  }

  // No error while the user is typing.
  const fault = isLeft ? dayError(text) : undefined;
  const day = parseDay(text) ?? '';
  return (
    <TextInput
      label={label}
      placeholder={t('day.pattern')}
      inputMode="numeric"
      autoComplete="off"
      value={text}
      error={fault === undefined ? error : t(`day.${fault}`)}
      onChange={({ currentTarget }) => write(currentTarget.value)}
      onBlur={leave}
      onKeyDown={({ key }) => key === 'Enter' && leave()}
      inputContainer={(field) => withReading(field, day === '' ? undefined : describeDay(day, i18n.language))}
      rightSection={
        <CalendarPopover
          label={t('day.choose', { label })}
          day={value ?? ''}
          min={min}
          max={max}
          onChoose={(day) => write(formatDay(day))}
        />
      }
    />
  );
}

interface DayFieldsProps {
  /** Days such as 2026-11-21, both included; '' for none. */
  from: string;
  to: string;
  texts: { from: string; to: string; reversed: string };
  onChange: (days: { from: string; to: string }) => void;
}

/** The first and the last day of a filter. */
export function DayFields({ from, to, texts, onChange }: DayFieldsProps) {
  return (
    <>
      <DateField
        label={texts.from}
        value={from}
        max={to === '' ? undefined : to}
        onChange={(day) => day !== undefined && onChange({ from: day, to })}
      />
      <DateField
        label={texts.to}
        value={to}
        min={from === '' ? undefined : from}
        error={from !== '' && to !== '' && from > to ? texts.reversed : undefined}
        onChange={(day) => day !== undefined && onChange({ from, to: day })}
      />
    </>
  );
}

interface CalendarPopoverProps {
  label: string;
  /** '' for none. */
  day: string;
  min: string | undefined;
  max: string | undefined;
  onChoose: (day: string) => void;
}

/** A button that opens the calendar. */
function CalendarPopover({ label, day, min, max, onChoose }: CalendarPopoverProps) {
  const [isOpen, setOpen] = useState(false);
  const [Calendar, loadCalendar] = useLazyPart(calendar);
  return (
    <Popover opened={isOpen && Calendar !== undefined} onChange={setOpen} position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={label}
          onClick={() => {
            loadCalendar();
            setOpen(!isOpen);
          }}
        >
          <IconCalendar size={18} stroke={1.6} aria-hidden="true" />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={label}>
        {Calendar !== undefined && (
          <Calendar
            day={day}
            min={min}
            max={max}
            onChoose={(chosen) => {
              onChoose(chosen);
              setOpen(false);
            }}
          />
        )}
      </Popover.Dropdown>
    </Popover>
  );
}
