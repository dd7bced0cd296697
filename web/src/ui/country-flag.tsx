import i18next from 'i18next';
import { useEffect } from 'react';
import { countryName } from '../format/format.ts';
import { lazyPart, useLazyPart } from '../loading/use-lazy-part.ts';
import { useHover } from '../hooks/use-hover.ts';
import classes from './country-flag.module.css';

const flags = import.meta.glob<string>('../../../node_modules/flag-icons/flags/4x3/*.svg', {
  eager: true,
  query: '?url',
  import: 'default',
});

const tooltip = lazyPart(async () => (await import('./flag-tooltip.tsx')).FlagTooltip);

interface CountryFlagProps {
  code: string;
  /** Shows the name beside the flag instead of in a tooltip. */
  hasName?: boolean;
}

export function CountryFlag({ code, hasName = false }: CountryFlagProps) {
  // Without the hook, which is slow in fifty rows: components with flags also have texts and render again with them.
  const name = countryName(code, i18next.resolvedLanguage ?? 'en');
  const url = flags[`../../../node_modules/flag-icons/flags/4x3/${code.toLowerCase()}.svg`];
  if (hasName)
    return (
      <span className={classes['named']}>
        {url !== undefined && <img className={classes['flag']} src={url} alt="" width={24} height={18} />}
        {name}
      </span>
    );
  if (url === undefined) return <span>{name}</span>;
  return <FlagWithTooltip url={url} name={name} />;
}

/** The tooltip renders when the pointer is over the flag, because it costs more than the rest of a row. */
function FlagWithTooltip({ url, name }: { url: string; name: string }) {
  const [isHovered, pointing] = useHover();
  const [Tooltip, loadTooltip] = useLazyPart(tooltip);
  useEffect(() => {
    if (isHovered) loadTooltip();
  }, [isHovered, loadTooltip]);
  const flag = <img className={classes['flag']} src={url} alt={name} width={24} height={18} loading="lazy" />;
  return (
    <span className={classes['pointed']} {...pointing}>
      {isHovered && Tooltip !== undefined ? <Tooltip name={name}>{flag}</Tooltip> : flag}
    </span>
  );
}
