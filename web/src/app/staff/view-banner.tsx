import { Button } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import '../../i18n/staff-texts.ts';
import { toLocalTime } from '../../data/server-clock.ts';
import { useSecondsLeft } from '../../hooks/use-seconds-left.ts';
import { closeView, currentView, type ShownView } from '../../session/view.ts';
import classes from './view-banner.module.css';

const SECONDS_PER_MINUTE = 60;

/** Says on every page whose account a member of staff sees, and for how long. */
export function ViewBanner() {
  const view = currentView();
  return view === undefined ? null : <Banner view={view} />;
}

function Banner({ view: { user, expiredAccessTokenAt } }: { view: ShownView }) {
  const { t } = useTranslation('staff');
  const minutes = Math.ceil(useSecondsLeft(toLocalTime(expiredAccessTokenAt)) / SECONDS_PER_MINUTE);
  return (
    <aside className={classes['banner']} aria-label={t('view.label')}>
      <IconEye size={20} stroke={1.6} aria-hidden="true" />
      <p>
        {t('view.text', { email: user.email })} {t('view.left', { count: minutes })}
      </p>
      <Button size="compact-sm" variant="default" onClick={closeView}>
        {t('view.end')}
      </Button>
    </aside>
  );
}
