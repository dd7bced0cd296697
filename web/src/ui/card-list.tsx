import { memo, type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './card-list.module.css';
import type { Column } from './data-table.tsx';
import { Placeholder } from './placeholder.tsx';

interface CardListProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  skeletonKeys: readonly string[];
  renderCard?: RenderCard<Row> | undefined;
}

/** Replaces the fields of a card. Must be the same function in each render, because cards are memoized. */
export type RenderCard<Row> = (row: Row, columns: readonly Column<Row>[]) => ReactNode;

/** Columns by their place in a card. */
interface Places<Row> {
  headings: readonly Column<Row>[];
  line: readonly Column<Row>[];
  fields: readonly Column<Row>[];
  more: readonly Column<Row>[];
  actions: readonly Column<Row>[];
}

/** A table on a phone: one card per row. */
export function CardList<Row>({ label, columns, rows, rowKey, skeletonKeys, renderCard }: CardListProps<Row>) {
  const places = useMemo<Places<Row>>(
    () => ({
      headings: columns.filter(({ place }) => place === 'heading'),
      line: columns.filter(({ place }) => place === 'line' || place === 'fact'),
      fields: columns.filter(({ place }) => place === undefined),
      more: columns.filter(({ place }) => place === 'more'),
      actions: columns.filter(({ place }) => place === 'action'),
    }),
    [columns],
  );
  if (renderCard !== undefined)
    return (
      <ul className={classes['list']} data-compact aria-label={label} aria-busy={rows === undefined}>
        {rows === undefined
          ? skeletonKeys.map((key) => (
              <li key={key} className={classes['compact']} aria-hidden="true">
                <Placeholder height={14} width="55%" />
              </li>
            ))
          : rows.map((row) => <CompactCard key={rowKey(row)} row={row} columns={columns} renderCard={renderCard} />)}
      </ul>
    );
  return (
    <ul className={classes['list']} aria-label={label} aria-busy={rows === undefined}>
      {rows === undefined
        ? skeletonKeys.map((key) => <SkeletonCard key={key} {...places} />)
        : rows.map((row) => <Card key={rowKey(row)} row={row} places={places} />)}
    </ul>
  );
}

interface CompactCardProps<Row> {
  row: Row;
  columns: readonly Column<Row>[];
  renderCard: RenderCard<Row>;
}

/** Memoized: not rendered again when further cards are added. */
const CompactCard = memo(function CompactCard<Row>({ row, columns, renderCard }: CompactCardProps<Row>) {
  return <li className={classes['compact']}>{renderCard(row, columns)}</li>;
}) as <Row>(props: CompactCardProps<Row>) => ReactNode;

interface CardProps<Row> {
  row: Row;
  places: Places<Row>;
}

/** Memoized: not rendered again when further cards are added. */
const Card = memo(function Card<Row>({ row, places: { headings, line, fields, more, actions } }: CardProps<Row>) {
  const { t } = useTranslation();
  const isShort = fields.length === 0;
  return (
    <li className={classes['card']} data-short={isShort || undefined}>
      <div className={classes['head']}>
        {headings.map(({ key, render }) => (
          <div key={key}>{render(row)}</div>
        ))}
      </div>
      {line.length > 0 && (
        <div className={classes['line']}>
          {line.map((column) => (
            <span key={column.key}>{lineText(column, row)}</span>
          ))}
        </div>
      )}
      {fields.length > 0 && <Fields row={row} columns={fields} />}
      <div className={classes['actions']} data-beside={isBeside(fields, actions)}>
        {actions.map(({ key, render }) => (
          <div key={key}>{render(row)}</div>
        ))}
      </div>
      {more.length > 0 && (
        <details className={classes['more']}>
          <summary>{t('more')}</summary>
          <Fields row={row} columns={more} />
        </details>
      )}
    </li>
  );
}) as <Row>(props: CardProps<Row>) => ReactNode;

function Fields<Row>({ row, columns }: { row: Row; columns: readonly Column<Row>[] }) {
  return (
    <dl className={classes['fields']}>
      {columns.map(({ key, header, render, renderInCard = render }) => (
        <div key={key}>
          <dt>{header}</dt>
          <dd>{renderInCard(row)}</dd>
        </div>
      ))}
    </dl>
  );
}

function lineText<Row>({ place, header, render, renderInCard = render }: Column<Row>, row: Row): ReactNode {
  const value = renderInCard(row);
  if (place === 'line' || value === null || value === false || value === '') return value;
  return (
    <>
      {header}: {value}
    </>
  );
}

/** Whether the cell beside the last field is free, and the card has one button for it. */
function isBeside(fields: readonly unknown[], actions: readonly unknown[]): boolean {
  return fields.length % 2 === 1 && actions.length === 1;
}

function SkeletonCard<Row>({ fields, actions }: Places<Row>) {
  return (
    <li className={classes['card']} data-short={fields.length === 0 || undefined}>
      <div className={classes['head']}>
        <Placeholder height={14} width="40%" />
      </div>
      <dl className={classes['fields']}>
        {fields.map(({ key, header }) => (
          <div key={key}>
            <dt>{header}</dt>
            <dd>
              <Placeholder height={12} width="60%" />
            </dd>
          </div>
        ))}
      </dl>
      {actions.length > 0 && (
        <div className={classes['actions']} data-beside={isBeside(fields, actions)}>
          <div>
            <Placeholder height="max(38px, var(--control-height))" width={96} />
          </div>
        </div>
      )}
    </li>
  );
}
