import type { ComponentProps } from 'react';
import compact from './plain-button.module.css';
import plain from './plain.module.css';

interface Look {
  isQuiet?: boolean | undefined;
  /** Within a screen, beside fields and lists. */
  isCompact?: boolean | undefined;
}

interface PlainButtonProps extends ComponentProps<'button'>, Look {
  isLoading?: boolean;
}

/** While it loads it keeps the focus, which a disabled button would lose, and does nothing. */
export function PlainButton({ isLoading = false, isQuiet, isCompact, onClick, children, ...props }: PlainButtonProps) {
  return (
    <button
      type="button"
      {...props}
      className={plainButtonClass({ isQuiet, isCompact })}
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

/** For links that look like it. */
export function plainButtonClass({ isQuiet = false, isCompact = false }: Look): string {
  const look = plain[isQuiet ? 'quiet' : 'button'] ?? '';
  return isCompact ? `${look} ${compact['compact'] ?? ''}` : look;
}
