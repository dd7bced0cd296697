import { ActionIcon, Popover, TextInput } from '@mantine/core';
import { IconCalendar } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dayError, describeDay, formatDay, parseDay } from '../format/day.ts';
import { describeMinute, formatMinute, minuteError, parseMinute } from '../format/minute.ts';
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

/** The one field for a day. */
export function DateField(props: DateFieldProps) {
  return <TypedField {...props} notation={days} />;
}

/** The one field for a day with a time: a value such as 2026-11-21T14:05. */
export function DateTimeField(props: Omit<DateFieldProps, 'min' | 'max'>) {
  return <TypedField {...props} notation={minutes} />;
}

/** How a field reads and writes its value. */
interface Notation {
  /** Of its texts. */
  name: 'day' | 'minute';
  /** @returns the value, '' for an empty text, undefined for an invalid one */
  parse: (text: string) => string | undefined;
  format: (value: string) => string;
  /** In words. */
  describe: (value: string, language: string) => string;
  findFault: (text: string) => 'format' | 'unknown' | undefined;
  /** The text after a day was chosen in the calendar. */
  withDay: (day: string, value: string) => string;
}

const days: Notation = {
  name: 'day',
  parse: parseDay,
  format: formatDay,
  describe: describeDay,
  findFault: dayError,
  withDay: formatDay,
};

const minutes: Notation = {
  name: 'minute',
  parse: parseMinute,
  format: formatMinute,
  describe: describeMinute,
  findFault: minuteError,
  // Without a time, the user goes on to type it.
  withDay: (day, value) => `${formatDay(day)} ${value.split('T')[1] ?? ''}`,
};

/**
 * Typed, or picked from a calendar. Repeats in words what it has read. The browser's own date inputs would use the order of the
 * browser's language.
 */
function TypedField({ label, value, min, max, error, onChange, notation }: DateFieldProps & { notation: Notation }) {
  const { t, i18n } = useTranslation();
  const { name, parse, format, describe, findFault, withDay } = notation;
  const [text, setText] = useState(() => format(value ?? ''));
  const [isLeft, setLeft] = useState(false);
  const [lastValue, setLastValue] = useState(value);
  if (lastValue !== value) {
    setLastValue(value);
    // Changed from outside: by the back button, or a reset.
    if (value !== undefined && value !== parse(text)) setText(format(value));
  }

  function write(next: string) {
    setText(next);
    setLeft(false);
    onChange(parse(next));
  }

  /** The text becomes the value as the app writes it. */
  function leave() {
    const given = parse(text);
    if (given !== undefined) setText(format(given));
    setLeft(true);
  }

  // No error while the user is typing.
  const fault = isLeft ? findFault(text) : undefined;
  const read = parse(text) ?? '';
  return (
    <TextInput
      label={label}
      placeholder={t(`${name}.pattern`)}
      inputMode="numeric"
      autoComplete="off"
      value={text}
      error={fault === undefined ? error : t(`${name}.${fault}`)}
      onChange={({ currentTarget }) => write(currentTarget.value)}
      onBlur={leave}
      onKeyDown={({ key }) => key === 'Enter' && leave()}
      inputContainer={(field) => withReading(field, read === '' ? undefined : describe(read, i18n.language))}
      rightSection={
        <CalendarPopover
          label={t('day.choose', { label })}
          day={(value ?? '').split('T')[0]!}
          min={min}
          max={max}
          onChoose={(day) => write(withDay(day, read))}
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
