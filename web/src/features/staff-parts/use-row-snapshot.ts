import { useState } from 'react';
import { useLastDefined } from '../../hooks/use-last-value.ts';

export interface RowSnapshot<Row> {
  /** Undefined while the dialog is closed. */
  row: Row | undefined;
  /** The row, and the last one while the dialog fades out. */
  shown: Row | undefined;
  isOpen: boolean;
  open: (row: Row) => void;
  close: () => void;
}

/**
 * Keeps the row that the member of staff saw when they opened the dialog. A live event may bring a newer version while the dialog is open.
 * The dialog still sends the old version, so the API refuses to overwrite changes that they have not seen. After a refusal the dialog
 * closes, and the list shows the current row.
 */
export function useRowSnapshot<Row>(): RowSnapshot<Row> {
  const [row, setRow] = useState<Row>();
  return {
    row,
    shown: useLastDefined(row),
    isOpen: row !== undefined,
    open: setRow,
    close: () => setRow(undefined),
  };
}
