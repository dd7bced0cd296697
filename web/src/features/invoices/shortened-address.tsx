import classes from './shortened-address.module.css';

/** The end of an address, which users compare, stays visible when the column is too narrow for all of it. */
const END_LENGTH = 6;

/** An address of a payment in a column. */
export function ShortenedAddress({ address }: { address: string }) {
  return (
    <code className={classes['address']} title={address}>
      <span>{address.slice(0, -END_LENGTH)}</span>
      {address.slice(-END_LENGTH)}
    </code>
  );
}
