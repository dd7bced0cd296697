import classes from './logo.module.css';

export function Logo({ name }: { name: string }) {
  return (
    <span className={classes['logo']}>
      <svg viewBox="0 0 32 32" width="30" height="30" aria-hidden="true">
        <path className={classes['cell']} d="M16 1.5 28.6 8.75v14.5L16 30.5 3.4 23.25V8.75z" />
        <path className={classes['hop']} d="M9 20.5c0-9.5 14-9.5 14 0" />
        <circle className={classes['start']} cx="9" cy="20.5" r="2.7" />
        <circle className={classes['end']} cx="23" cy="20.5" r="2.7" />
      </svg>
      {name}
    </span>
  );
}
