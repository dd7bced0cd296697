import classes from './card-list.module.css';
import type { Column } from './data-table.tsx';
import { Placeholder } from './placeholder.tsx';

interface CardListProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  skeletonKeys: readonly string[];
}

/** A table on a phone: one card per row. */
export function CardList<Row>({ label, columns, rows, rowKey, skeletonKeys }: CardListProps<Row>) {
  const fields = columns.filter(({ place }) => place === undefined);
  const headings = columns.filter(({ place }) => place === 'heading');
  const actions = columns.filter(({ place }) => place === 'action');
  return (
    <ul className={classes['list']} aria-label={label} aria-busy={rows === undefined}>
      {rows === undefined
        ? skeletonKeys.map((key) => (
            <li key={key} className={classes['card']}>
              <div className={classes['head']}>
                <Placeholder height={24} width="40%" />
              </div>
              <dl className={classes['fields']}>
                {fields.map(({ key: field, header }) => (
                  <div key={field}>
                    <dt>{header}</dt>
                    <dd>
                      <Placeholder height={15} width="60%" />
                    </dd>
                  </div>
                ))}
              </dl>
              {actions.length > 0 && <Placeholder height={38} width={96} />}
            </li>
          ))
        : rows.map((row) => (
            <li key={rowKey(row)} className={classes['card']}>
              <div className={classes['head']}>
                {headings.map(({ key, render }) => (
                  <div key={key}>{render(row)}</div>
                ))}
              </div>
              <dl className={classes['fields']}>
                {fields.map(({ key, header, render }) => (
                  <div key={key}>
                    <dt>{header}</dt>
                    <dd>{render(row)}</dd>
                  </div>
                ))}
              </dl>
              <div className={classes['actions']}>
                {actions.map(({ key, render }) => (
                  <div key={key}>{render(row)}</div>
                ))}
              </div>
            </li>
          ))}
    </ul>
  );
}
