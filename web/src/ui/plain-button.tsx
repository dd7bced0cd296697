import type { ComponentProps } from 'react';
import classes from './plain.module.css';

interface PlainButtonProps extends ComponentProps<'button'> {
  isLoading?: boolean;
  isQuiet?: boolean;
}

export function PlainButton({ isLoading = false, isQuiet = false, disabled, children, ...props }: PlainButtonProps) {
  return (
    <button
      type="button"
      {...props}
      className={classes[isQuiet ? 'quiet' : 'button']}
      disabled={disabled === true || isLoading}
      aria-busy={isLoading}
    >
      {children}
    </button>
  );
}
