import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useSettings } from '../../data/settings.ts';
import { Logo } from '../../ui/logo.tsx';
import { menuScreens } from '../screens.ts';
import classes from './side-menu.module.css';
import { type SlotProps, StaffSlot, staffPart } from './staff-slot.tsx';
import { Switchers } from '../../ui/switchers.tsx';

const staffMenu = staffPart<SlotProps>(async () => (await import('../staff/staff-menu.tsx')).StaffMenu);

export function SideMenu({ hasLogo }: { hasLogo: boolean }) {
  const { t } = useTranslation();
  const { brandName } = useSettings();
  return (
    <div className={classes['menu']}>
      {hasLogo && (
        <a href="/" className={classes['logo']}>
          <Logo name={brandName} />
        </a>
      )}
      <nav aria-label={t('menu.label')}>
        <ul className={classes['items']}>
          <StaffSlot part={staffMenu}>
            {menuScreens.map(({ path, title, Icon }) => (
              <li key={path}>
                <Link to={path} className={classes['item']} activeOptions={{ includeSearch: false }}>
                  <Icon size={20} stroke={1.6} aria-hidden="true" />
                  {t(`menu.${title}`)}
                </Link>
              </li>
            ))}
          </StaffSlot>
        </ul>
      </nav>
      <div className={classes['foot']}>
        <Switchers />
      </div>
    </div>
  );
}
