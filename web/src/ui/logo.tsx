import { useSettings } from '../data/settings.ts';
import classes from './logo.module.css';

export function Logo({ name }: { name: string }) {
  const { logo } = useSettings();
  if (!logo) return <BuiltInLogo name={name} />;
  const alt = logo.isWide ? name : '';
  return (
    <span className={classes['logo']}>
      <img src="/logo.svg" alt={alt} className={logo.hasDark ? classes['light'] : undefined} />
      {logo.hasDark && <img src="/logo-dark.svg" alt={alt} className={classes['dark']} />}
      {!logo.isWide && name}
    </span>
  );
}

function BuiltInLogo({ name }: { name: string }) {
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
