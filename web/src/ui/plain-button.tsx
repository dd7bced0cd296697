import type { ComponentProps } from 'react';
import compact from './plain-button.module.css';
import plain from './plain.module.css';

interface Look {
  isQuiet?: boolean | undefined;
  /** Smaller, for use beside fields and lists. */
  isCompact?: boolean | undefined;
}

interface PlainButtonProps extends ComponentProps<'button'>, Look {
  isLoading?: boolean;
}

/** A button for pages and first screens without Mantine. */
export function PlainButton({ isLoading = false, isQuiet, isCompact, ...props }: PlainButtonProps) {
  return (
    <BusyButton {...props} className={plainButtonClass({ isQuiet, isCompact })} data-loading={isLoading || undefined} />
  );
}

/** For links that look like a button. */
export function plainButtonClass({ isQuiet = false, isCompact = false }: Look): string {
  const look = plain[isQuiet ? 'quiet' : 'button'] ?? '';
  return isCompact ? `${look} ${compact['compact'] ?? ''}` : look;
}

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
