import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import classes from './of-user-notice.module.css';

/** A notice that a list shows only one user, with a link to the list of all users. */
export function OfUserNotice({ userId }: { userId: string | undefined }) {
  const { t } = useTranslation('staff');
  if (userId === undefined) return null;
  return (
    <p className={classes['notice']}>
      {t('ofUser')}{' '}
      <Link to="." search={{}}>
        {t('allUsers')}
      </Link>
    </p>
  );
}
