import { useState } from 'react';
import { useLastDefined } from '../../lib/use-last-defined.ts';

export interface SeenRow<Row> {
  /** Undefined while the dialog is closed. */
  row: Row | undefined;
  /** The same, and the last one while the dialog fades out. */
  shown: Row | undefined;
  isOpen: boolean;
  open: (row: Row) => void;
  close: () => void;
}

/**
 * The row of a dialog as the member of staff saw it when they opened it. A live event may bring a newer one while the dialog is open, with
 * another version; it does not replace this one, so the API refuses to overwrite what they have not seen. After a refusal the dialog
 * closes, and the list shows the current row.
 */
export function useSeen<Row>(): SeenRow<Row> {
  const [row, setRow] = useState<Row>();
  return {
    row,
    shown: useLastDefined(row),
    isOpen: row !== undefined,
    open: setRow,
    close: () => setRow(undefined),
  };
}
