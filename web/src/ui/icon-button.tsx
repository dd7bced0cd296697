import type { ComponentProps } from 'react';
import classes from './icon-button.module.css';

/** A plain element: those of the shell render before Mantine is loaded. */
export function IconButton({ className, ...props }: ComponentProps<'button'> & { 'aria-label': string }) {
  return <button type="button" {...props} className={[classes['button'], className].filter(Boolean).join(' ')} />;
}
