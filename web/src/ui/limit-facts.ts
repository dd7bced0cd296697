import type { ConnectionLimits } from '@cellhop/contract/connection-limits';
import { parsePortRule, rangesText } from '@cellhop/contract/port-rules.values';
import { toMegabits } from '@cellhop/contract/units';
import { useTranslation } from 'react-i18next';
import { formatCount } from '../format/format.ts';
import type { Fact } from './facts.tsx';

/** What a proxy limits, for its details; nothing for what it does not limit. */
export function useLimitFacts(limits: ConnectionLimits): Fact[] {
  const { t } = useTranslation('common');
  const { speed, tunnels, ports } = useLimitTexts(limits);
  return [
    ...(speed === undefined ? [] : [{ label: t('limits.speed'), value: speed }]),
    ...(tunnels === undefined ? [] : [{ label: t('limits.tunnels'), value: tunnels }]),
    ...(ports === undefined ? [] : [{ label: t('limits.ports'), value: ports }]),
  ];
}

function useLimitTexts({ bytesPerSecond, tunnels, ports }: ConnectionLimits) {
  const { t } = useTranslation('common');
  const rule = ports === null ? undefined : parsePortRule(ports);
  return {
    speed: bytesPerSecond === null ? undefined : t('limits.megabits', { megabits: toMegabits(bytesPerSecond) }),
    tunnels: tunnels === null ? undefined : formatCount(tunnels),
    ports:
      rule &&
      t(rule.isAllowed ? 'limits.onlyPorts' : 'limits.allPortsBut', {
        ports: rangesText(rule.ranges).replaceAll(' ', ', '),
      }),
  };
}
