import { useTranslation } from 'react-i18next';
import { formatAge, formatCount, formatMoney } from '../../format/format.ts';
import { useTenSeconds } from '../../hooks/use-ten-seconds.ts';
import classes from './stock-facts.module.css';
import type { KnownStock } from './stock.ts';

/** The lowest price and what is for sale now. Its space is kept while they load; if nothing can be shown, it stays empty. */
export function StockFacts({ stock }: { stock: KnownStock | null | undefined }) {
  const { t } = useTranslation('landing');
  const price = stock?.megabytePrice;
  const isEmpty = stock === null || (stock !== undefined && stock.free === 0);
  const facts = [
    { label: t('facts.perMegabyte'), value: price && t('facts.price', { price: formatMoney(price) }) },
    {
      label: t('facts.countries', { count: stock?.countries.length ?? 0 }),
      value: stock && formatCount(stock.countries.length),
    },
    { label: t('facts.operators', { count: stock?.operators ?? 0 }), value: stock && formatCount(stock.operators) },
    { label: t('facts.free', { count: stock?.free ?? 0 }), value: stock && formatCount(stock.free) },
  ];
  return (
    <div className={classes['facts']} data-is-empty={isEmpty}>
      <dl>
        {facts.map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value ?? '\u00A0'}</dd>
          </div>
        ))}
      </dl>
      <p>
        {stock && <Age countedAt={stock.countedAt} />}
        <span>{t('facts.rule')}</span>
      </p>
    </div>
  );
}

function Age({ countedAt }: { countedAt: string }) {
  const { t } = useTranslation('landing');
  const now = useTenSeconds();
  return <b>{t('facts.checked', { age: formatAge(countedAt, now) })}</b>;
}
