import type { ComponentProps } from 'react';
import { BusyButton } from './busy-button.tsx';
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
