import type { ComponentProps } from 'react';
import { BusyButton } from './busy-button.tsx';
import classes from './plain.module.css';

interface PlainButtonProps extends ComponentProps<'button'> {
  isLoading?: boolean;
  isQuiet?: boolean;
}

/** A button for pages that do without Mantine. */
export function PlainButton({ isLoading = false, isQuiet = false, ...props }: PlainButtonProps) {
  return (
    <BusyButton {...props} className={classes[isQuiet ? 'quiet' : 'button']} data-loading={isLoading || undefined} />
  );
}
