import { useMediaQuery } from '@mantine/hooks';
import { memo, type ReactNode, useState, startTransition, useEffect } from 'react';
import { PHONE_SCREEN, TABLET_SCREEN } from './breakpoints.ts';
import { CardList, type RenderCard } from './card-list.tsx';
import classes from './data-table.module.css';
import { Placeholder } from './placeholder.tsx';
import { type ColumnOrder, findOrder, SortButton, SortSelect, toSort } from './sort-controls.tsx';

export interface Column<Row> {
  /** If the column can be sorted: its name in the URL and the API. */
  key: string;
  header: string;
  /** Replaces the text of the header, for example by a checkbox. Cards have no headers. */
  renderHeader?: () => ReactNode;
  render: (row: Row) => ReactNode;
  /** Replaces `render` in a card, which has more space than a column. */
  renderInCard?: (row: Row) => ReactNode;
  /** The order after the first click on the header. Without it the column cannot be sorted. */
  firstOrder?: ColumnOrder;
  isNumeric?: boolean;
  /** The value never wraps, such as an IP address. */
  isUnbroken?: boolean;
  /** In rem. If all columns have one, they are fixed shares of the table's width, independent of the rows. */
  width?: number;
  /**
   * Its place in a card on narrow screens: heading, in the line below it without its header, in this line after its header (`fact`), button,
   * or (by default) a field. A card without fields has two lines. `more`: what opens below them. `none`: the details have it, or wider screens.
   */
  place?: 'heading' | 'line' | 'fact' | 'action' | 'more' | 'none';
}

interface DataTableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  /** Undefined while loading: shows placeholders. */
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  /** For many columns: less padding; on tablets values wrap, and the columns of the buttons stay in view while the others scroll. */
  isDense?: boolean;
  /** The order of the rows from the API: the key of a column, with a leading minus for descending. */
  sort?: string;
  onSort?: (sort: string) => void;
  /** Used on a phone. */
  renderCard?: RenderCard<Row>;
}

const SKELETON_ROWS = ['1', '2', '3', '4', '5'];

const ROW_HEIGHT = 45;
/** The minimum height of a card. If cards are lower, more rows than necessary render first. */
const CARD_HEIGHT = 90;
const ROWS_PER_STEP = 6;

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { columns, rows, sort, onSort } = props;
  const isPhone = useMediaQuery(PHONE_SCREEN, undefined, { getInitialValueInEffect: false });
  // Rows that fill the window render first, so content below the table does not visibly move when the rest renders.
  const [height] = useState(() => window.innerHeight);
  const first = Math.ceil(height / (isPhone ? CARD_HEIGHT : ROW_HEIGHT));
  const count = useIncrementalCount(rows?.length ?? 0, { first, step: ROWS_PER_STEP });
  const shown = rows?.slice(0, count);
  if (!isPhone) return <WideTable {...props} rows={shown} />;
  return (
    <div className={classes['cards']}>
      {onSort && <SortSelect columns={columns} sort={sort} onSort={onSort} />}
      <CardList {...props} rows={shown} skeletonKeys={SKELETON_ROWS} />
    </div>
  );
}

const opposite = { ascending: 'descending', descending: 'ascending' } as const;

function WideTable<Row>({ label, columns, rows, rowKey, isDense = false, sort, onSort }: DataTableProps<Row>) {
  const isTablet = useMediaQuery(TABLET_SCREEN, undefined, { getInitialValueInEffect: false });
  // On tablets the columns of dense tables are as wide as their values need.
  const isFixed = !(isTablet && isDense) && columns.every(({ width }) => width !== undefined);
  const actions = actionsKey(columns);
  const totalWidth = columns.reduce((sum, { width = 0 }) => sum + width, 0);
  return (
    // A scrollable region must be reachable by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className={classes['scroll']} tabIndex={isFixed ? undefined : 0} aria-label={label} data-fixed={isFixed}>
      <table aria-busy={rows === undefined} data-fixed={isFixed} data-dense={isDense}>
        <thead>
          <tr>
            {columns.map(({ key, header, renderHeader, firstOrder, isNumeric, width = 0 }) => {
              const order = findOrder(sort, key);
              return (
                <th
                  key={key}
                  aria-sort={order}
                  data-numeric={isNumeric}
                  data-last={key === actions || undefined}
                  style={isFixed ? { width: `${(width / totalWidth) * 100}%` } : undefined}
                >
                  {firstOrder !== undefined ? (
                    <SortButton
                      header={header}
                      order={order}
                      onToggle={() => onSort?.(toSort(key, order === undefined ? firstOrder : opposite[order]))}
                    />
                  ) : (
                    (renderHeader?.() ?? header)
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
                  {columns.map(({ key: column, isNumeric }) => (
                    <td key={column} data-numeric={isNumeric} data-last={column === actions || undefined}>
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

/** The last column, if it has the buttons of the row. */
function actionsKey<Row>(columns: readonly Column<Row>[]): string | undefined {
  const last = columns.at(-1);
  return last?.place === 'action' ? last.key : undefined;
}

/** Memoized: not rendered again when step rows are added. */
const TableRow = memo(function TableRow<Row>({ row, columns }: { row: Row; columns: readonly Column<Row>[] }) {
  const actions = actionsKey(columns);
  return (
    <tr>
      {columns.map(({ key, render, isNumeric, isUnbroken }) => (
        <td key={key} data-numeric={isNumeric} data-unbroken={isUnbroken} data-last={key === actions || undefined}>
          {render(row)}
        </td>
      ))}
    </tr>
  );
}) as <Row>(props: { row: Row; columns: readonly Column<Row>[] }) => ReactNode;

interface Steps {
  first: number;
  step: number;
}

/**
 * How many of `count` items to render: the first ones immediately, then a few at a time in transitions, so that a long
 * list never delays a click. Starts again after the list was empty.
 */
function useIncrementalCount(count: number, { first, step }: Steps): number {
  const [limit, setLimit] = useState(first);
  if (count === 0 && limit !== first) setLimit(first);
  useEffect(() => {
    if (limit < count) startTransition(() => setLimit(limit + step));
  }, [limit, count, step]);
  return Math.min(limit, count);
}
