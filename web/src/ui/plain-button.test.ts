import type { ComponentProps } from 'react';
import { expect, it, vi } from 'vitest';
import { BusyButton } from './plain-button.tsx';

type Props = ComponentProps<typeof BusyButton>;

/** Clicks a button with these properties; returns whether its action ran and whether its form was submitted. */
function press(props: Props) {
  const onClick = vi.fn<() => void>();
  const preventDefault = vi.fn<() => void>();
  const button = BusyButton({ ...props, onClick }).props as ComponentProps<'button'>;
  button.onClick?.({ preventDefault } as never);
  return { button, hasRun: onClick.mock.calls.length > 0, goesOn: preventDefault.mock.calls.length === 0 };
}

it('runs its action and submits the form', () => {
  expect(press({ type: 'submit' })).toMatchObject({ button: { type: 'submit' }, hasRun: true, goesOn: true });
});

it.each<Props>([{ 'data-loading': true }, { disabled: true }])(
  'does nothing with %o, and can keep the focus',
  (props) => {
    const { button, hasRun, goesOn } = press({ ...props, type: 'submit' });
    expect({ hasRun, goesOn }).toEqual({ hasRun: false, goesOn: false });
    expect(button).toMatchObject({ 'aria-disabled': true });
    expect(button.disabled).toBeUndefined();
  },
);

it('does not submit a form by default: Mantine passes an undefined type', () => {
  const { button } = press({ type: undefined });
  expect(button.type).toBe('button');
});
