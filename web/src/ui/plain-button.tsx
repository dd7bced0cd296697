import type { ComponentProps } from 'react';
import classes from './plain.module.css';

interface PlainButtonProps extends ComponentProps<'button'> {
  isLoading?: boolean;
  isQuiet?: boolean;
}

/** While it loads it keeps the focus, which a disabled button would lose, and does nothing. */
export function PlainButton({ isLoading = false, isQuiet = false, onClick, children, ...props }: PlainButtonProps) {
  return (
    <button
      type="button"
      {...props}
      className={classes[isQuiet ? 'quiet' : 'button']}
      aria-disabled={isLoading}
      aria-busy={isLoading}
      onClick={(event) => {
        if (isLoading) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {children}
    </button>
  );
}
