import { Skeleton, Table } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { CardList } from './card-list.tsx';
import classes from './data-table.module.css';
import { PHONE_SCREEN } from './screen.ts';

export interface Column<Row> {
  key: string;
  header: string;
  render: (row: Row) => ReactNode;
  isNumeric?: boolean;
  /** Stays in sight while the table scrolls sideways. */
  stick?: 'left' | 'right';
  /** Where it goes on a phone, where each row is a card: its heading, its button, or (by default) a line of it. */
  place?: 'heading' | 'action';
}

interface DataTableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  /** Undefined while loading: placeholders are shown. */
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
}

const SKELETON_ROWS = ['1', '2', '3', '4', '5'];

export function DataTable<Row>(props: DataTableProps<Row>) {
  const isPhone = useMediaQuery(PHONE_SCREEN, undefined, { getInitialValueInEffect: false });
  return isPhone ? <CardList {...props} skeletonKeys={SKELETON_ROWS} /> : <WideTable {...props} />;
}

function WideTable<Row>({ label, columns, rows, rowKey }: DataTableProps<Row>) {
  return (
    // A region that scrolls must be reachable by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className={classes['scroll']} tabIndex={0} aria-label={label}>
      <Table verticalSpacing="sm" horizontalSpacing={12} highlightOnHover aria-busy={rows === undefined}>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ key, header, isNumeric, stick }) => (
              <Table.Th key={key} data-numeric={isNumeric} data-stick={stick}>
                {header}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows === undefined
            ? SKELETON_ROWS.map((key) => (
                <Table.Tr key={key}>
                  {columns.map((column) => (
                    <Table.Td key={column.key}>
                      <Skeleton height={20} />
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))
            : rows.map((row) => (
                <Table.Tr key={rowKey(row)}>
                  {columns.map(({ key, render, isNumeric, stick }) => (
                    <Table.Td key={key} data-numeric={isNumeric} data-stick={stick}>
                      {render(row)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
