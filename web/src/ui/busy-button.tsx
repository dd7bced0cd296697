import type { ComponentProps } from 'react';

interface BusyButtonProps extends ComponentProps<'button'> {
  /** Mantine's attribute, so that its styles apply. */
  'data-loading'?: boolean | undefined;
}

/**
 * A busy or disabled button ignores clicks but keeps the focus, which a `disabled` button would lose. All buttons use
 * it: the plain ones directly, Mantine's through the theme.
 */
export function BusyButton({ 'data-loading': isBusy, type = 'button', disabled, onClick, ...props }: BusyButtonProps) {
  const isInert = isBusy === true || disabled === true;
  return (
    <button
      {...props}
      type={type}
      data-loading={isBusy}
      aria-busy={isBusy}
      aria-disabled={isInert || undefined}
      onClick={(event) => {
        if (isInert) event.preventDefault();
        else onClick?.(event);
      }}
    />
  );
}
