import type { ComponentProps } from 'react';

interface BusyButtonProps extends ComponentProps<'button'> {
  /** Mantine's name for it, so that its styles apply. */
  'data-loading'?: boolean | undefined;
}

/**
 * While it works or cannot be pressed it does nothing, but keeps the focus, which a disabled button would lose. All
 * buttons are made of it: the plain ones, and by the theme those of Mantine.
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
