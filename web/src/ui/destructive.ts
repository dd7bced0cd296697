/**
 * The look of buttons that end, retire, delete or refuse something: one red, so that they are recognised everywhere. A button that
 * opens the question is light, and the one that answers it is filled.
 */
export const destructive = {
  opens: { color: 'red', variant: 'light' },
  confirms: { color: 'red' },
} as const;
