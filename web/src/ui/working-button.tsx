import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentProps } from 'react';

type WorkingButtonProps = Omit<ButtonProps, 'loading'> &
  Omit<ComponentProps<'button'>, keyof ButtonProps | 'ref'> & {
    /** What it began goes on. */
    isWorking: boolean;
  };

/** While it works it keeps the focus, which Mantine's loading button loses by being disabled, and does nothing. */
export function WorkingButton({ isWorking, disabled = false, onClick, ...props }: WorkingButtonProps) {
  return (
    <Button
      {...props}
      loading={isWorking}
      renderRoot={(given) => (
        <button
          type="button"
          {...given}
          disabled={disabled}
          aria-disabled={isWorking || disabled}
          aria-busy={isWorking}
          onClick={(event) => {
            if (isWorking) event.preventDefault();
            else onClick?.(event);
          }}
        />
      )}
    />
  );
}
