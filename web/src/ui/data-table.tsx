import { useMediaQuery } from '@mantine/hooks';
import { type ColumnDef, type ReactTable, rowSortingFeature, tableFeatures, useTable } from '@tanstack/react-table';
import { memo, type ReactNode, useMemo, useState } from 'react';
import { useIncrementalCount } from '../lib/use-incremental-count.ts';
import { CardList } from './card-list.tsx';
import { type ColumnOrder, toOrder, toSort, toSorting } from './column-sorting.ts';
import classes from './data-table.module.css';
import { Placeholder } from './placeholder.tsx';
import { PHONE_SCREEN, TABLET_SCREEN } from './screen.ts';
import { SortButton, SortSelect } from './sort-controls.tsx';

export interface Column<Row> {
  /** If the column can be sorted by: its name in the address and for the API. */
  key: string;
  header: string;
  render: (row: Row) => ReactNode;
  /** In a card, where it differs: there is room for more than in a column. */
  renderInCard?: (row: Row) => ReactNode;
  /** The order that the first click on the header gives. Without it the column cannot be sorted by. */
  firstOrder?: ColumnOrder;
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
  /** How the API has sorted the rows: the key of a column, with a minus before it from the greatest down. */
  sort?: string;
  onSort?: (sort: string) => void;
}

const SKELETON_ROWS = ['1', '2', '3', '4', '5'];

const ROW_HEIGHT = 45;
/** Of the catalogue. Others are lower, but half of a phone's window is taken by what stands above them. */
const CARD_HEIGHT = 240;
const FURTHER = 6;

/** Sorting alone: pages and filters are the API's, and a table knows one page of a list. */
const features = tableFeatures({ rowSortingFeature });
const NO_ROWS: never[] = [];

export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { label, columns, rows, isDense = false, sort, onSort } = props;
  const isPhone = useMediaQuery(PHONE_SCREEN, undefined, { getInitialValueInEffect: false });
  const isTablet = useMediaQuery(TABLET_SCREEN, undefined, { getInitialValueInEffect: false });
  // What fills the window comes first: what stands below the table is not seen to move when the rest comes.
  const [height] = useState(() => window.innerHeight);
  const first = Math.ceil(height / (isPhone ? CARD_HEIGHT : ROW_HEIGHT));
  const count = useIncrementalCount(rows?.length ?? 0, { first, further: FURTHER });
  const table = useSortedTable(props);
  const shown = rows && table.getRowModel().rows.slice(0, count);
  if (!isPhone && !(isTablet && isDense))
    return <WideTable label={label} columns={columns} table={table} rows={shown} isDense={isDense} />;
  return (
    <>
      {onSort && <SortSelect columns={columns} sort={sort} onSort={onSort} />}
      <CardList label={label} columns={columns} rows={shown} skeletonKeys={SKELETON_ROWS} />
    </>
  );
}

function useSortedTable<Row extends object>({ columns, rows, rowKey, sort, onSort }: DataTableProps<Row>) {
  const definitions = useMemo(() => columns.map(toDefinition), [columns]);
  const sorting = useMemo(() => toSorting(sort), [sort]);
  return useTable({
    features,
    columns: definitions,
    data: rows ?? NO_ROWS,
    getRowId: rowKey,
    manualSorting: true,
    enableMultiSort: false,
    enableSortingRemoval: false,
    state: { sorting },
    onSortingChange: (update) => {
      const next = toSort(typeof update === 'function' ? update(sorting) : update);
      if (next !== undefined) onSort?.(next);
    },
  });
}

/** Cells are drawn from our own columns: those of the library would be hundreds of objects more for the catalogue. */
function toDefinition<Row extends object>({ key, firstOrder }: Column<Row>): ColumnDef<typeof features, Row> {
  return {
    id: key,
    accessorFn: (row) => row,
    enableSorting: firstOrder !== undefined,
    sortDescFirst: firstOrder === 'descending',
  };
}

/** A row as the library has it. */
export interface ListedRow<Row> {
  id: string;
  original: Row;
}

interface WideTableProps<Row extends object> {
  label: string;
  columns: readonly Column<Row>[];
  table: ReactTable<typeof features, Row>;
  rows: readonly ListedRow<Row>[] | undefined;
  isDense: boolean;
}

function WideTable<Row extends object>({ label, columns, table, rows, isDense }: WideTableProps<Row>) {
  const isFixed = columns.every(({ width }) => width !== undefined);
  const totalWidth = columns.reduce((sum, { width = 0 }) => sum + width, 0);
  return (
    // A region that scrolls must be reachable by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className={classes['scroll']} tabIndex={isFixed ? undefined : 0} aria-label={label} data-fixed={isFixed}>
      <table aria-busy={rows === undefined} data-fixed={isFixed} data-dense={isDense}>
        <thead>
          <tr>
            {columns.map(({ key, header, isNumeric, isLast, width = 0 }) => {
              const column = table.getColumn(key);
              const order = toOrder(column?.getIsSorted() ?? false);
              return (
                <th
                  key={key}
                  aria-sort={order}
                  data-numeric={isNumeric}
                  data-last={isLast}
                  style={isFixed ? { width: `${(width / totalWidth) * 100}%` } : undefined}
                >
                  {column?.getCanSort() ? (
                    <SortButton header={header} order={order} onToggle={() => column.toggleSorting()} />
                  ) : (
                    header
                  )}
                </th>
              );
            })}
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
            : rows.map(({ id, original }) => <TableRow key={id} row={original} columns={columns} />)}
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
