import { useMediaQuery } from '@mantine/hooks';
import { memo, type ReactNode, useState } from 'react';
import { useGradually } from '../lib/use-gradually.ts';
import { CardList } from './card-list.tsx';
import classes from './data-table.module.css';
import { Placeholder } from './placeholder.tsx';
import { PHONE_SCREEN, TABLET_SCREEN } from './screen.ts';

export interface Column<Row> {
  key: string;
  header: string;
  render: (row: Row) => ReactNode;
  /** In a card, where it differs: there is room for more than in a column. */
  renderInCard?: (row: Row) => ReactNode;
  isNumeric?: boolean;
  /** An address, of which no part may stand on another line. */
  isUnbroken?: boolean;
  /** In rem. If all columns have one, they stay where they are while rows come: these are their shares of the width. */
  width?: number;
  /** Its buttons end the row. */
  isLast?: boolean;
  /** Where it goes on a narrow screen, where each row is a card: its heading, its button, or (by default) a line of it. */
  place?: 'heading' | 'action';
}

interface DataTableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  /** Undefined while loading: placeholders are shown. */
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  /** For many columns: less room between them, and cards on a tablet too. */
  isDense?: boolean;
}

const SKELETON_ROWS = ['1', '2', '3', '4', '5'];

const ROW_HEIGHT = 45;
/** Of the catalogue. Others are lower, but half of a phone's window is taken by what stands above them. */
const CARD_HEIGHT = 240;
const FURTHER = 6;

export function DataTable<Row>({ rows, ...rest }: DataTableProps<Row>) {
  const isPhone = useMediaQuery(PHONE_SCREEN, undefined, { getInitialValueInEffect: false });
  const isTablet = useMediaQuery(TABLET_SCREEN, undefined, { getInitialValueInEffect: false });
  // What fills the window comes first: what stands below the table is not seen to move when the rest comes.
  const [height] = useState(() => window.innerHeight);
  const first = Math.ceil(height / (isPhone ? CARD_HEIGHT : ROW_HEIGHT));
  const count = useGradually(rows?.length ?? 0, { first, further: FURTHER });
  const props = { ...rest, rows: rows?.slice(0, count) };
  const areCards = isPhone || (isTablet && rest.isDense);
  return areCards ? <CardList {...props} skeletonKeys={SKELETON_ROWS} /> : <WideTable {...props} />;
}

function WideTable<Row>({ label, columns, rows, rowKey, isDense = false }: DataTableProps<Row>) {
  const isFixed = columns.every(({ width }) => width !== undefined);
  const totalWidth = columns.reduce((sum, { width = 0 }) => sum + width, 0);
  return (
    // A region that scrolls must be reachable by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className={classes['scroll']} tabIndex={isFixed ? undefined : 0} aria-label={label} data-fixed={isFixed}>
      <table aria-busy={rows === undefined} data-fixed={isFixed} data-dense={isDense}>
        <thead>
          <tr>
            {columns.map(({ key, header, isNumeric, isLast, width = 0 }) => (
              <th
                key={key}
                data-numeric={isNumeric}
                data-last={isLast}
                style={isFixed ? { width: `${(width / totalWidth) * 100}%` } : undefined}
              >
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows === undefined
            ? SKELETON_ROWS.map((key) => (
                <tr key={key}>
                  {columns.map(({ key: column, isNumeric, isLast }) => (
                    <td key={column} data-numeric={isNumeric} data-last={isLast}>
                      <Placeholder height={12} width="72%" />
                    </td>
                  ))}
                </tr>
              ))
            : rows.map((row) => <TableRow key={rowKey(row)} row={row} columns={columns} />)}
        </tbody>
      </table>
    </section>
  );
}

/** Rendered once, not again with each step in which further rows come. */
const TableRow = memo(function TableRow<Row>({ row, columns }: { row: Row; columns: readonly Column<Row>[] }) {
  return (
    <tr>
      {columns.map(({ key, render, isNumeric, isUnbroken, isLast }) => (
        <td key={key} data-numeric={isNumeric} data-unbroken={isUnbroken} data-last={isLast}>
          {render(row)}
        </td>
      ))}
    </tr>
  );
}) as <Row>(props: { row: Row; columns: readonly Column<Row>[] }) => ReactNode;
