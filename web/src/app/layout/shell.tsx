import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { IconShieldLock } from '@tabler/icons-react';
import { useRouterState, Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useId, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { useStaffTitle } from '../../hooks/use-staff-title.ts';
import { lazyPart, useLazyPart } from '../../loading/use-lazy-part.ts';
import { useProfile } from '../../session/profile.ts';
import { storedValue } from '../../session/stored-value.ts';
import { currentView } from '../../session/view.ts';
import { Breadcrumbs, HOME } from '../../ui/breadcrumbs.tsx';
import { NARROW_SCREEN } from '../../ui/breakpoints.ts';
import { OfflineBanner } from '../../ui/offline-banner.tsx';
import { plainButtonClass } from '../../ui/plain-button.tsx';
import { focusPageIfPending } from '../page-focus.ts';
import { titledScreens } from '../screens.ts';
import classes from './shell.module.css';
import { SideMenu } from './side-menu.tsx';
import { staffPart } from './staff-slot.tsx';
import { TopBar } from './top-bar.tsx';

const menuDrawer = lazyPart(async () => (await import('./menu-drawer.tsx')).MenuDrawer);
const viewBanner = staffPart(async () => (await import('../staff/view-banner.tsx')).ViewBanner);
const menuChoice = storedValue<boolean>('isMenuHidden', (value) => typeof value === 'boolean');

/** Side menu and top bar; on narrow screens the menu is in a drawer. */
export function Shell({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const staffTitle = useStaffTitle();
  const isNarrow = useMediaQuery(NARROW_SCREEN, undefined, { getInitialValueInEffect: false });
  const isHidden = useSyncExternalStore(menuChoice.subscribe, () => menuChoice.get() ?? false);
  const [MenuDrawer, loadDrawer] = useLazyPart(menuDrawer);
  const [isDrawerOpen, drawer] = useDisclosure(false, { onOpen: loadDrawer });
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // A screen below another one has the same title and its own breadcrumbs.
  const staffScreen = useRouterState({ select: ({ matches }) => matches.at(-1)?.staticData.staffScreen });
  const isSubscreen = staffScreen?.isSubscreen ?? !titledScreens.some((screen) => screen.path === path);
  const screen = titledScreens.find((each) => (isSubscreen ? path.startsWith(`${each.path}/`) : each.path === path));
  const ownTitle = screen === undefined ? undefined : t(`titles.${screen.title}`);
  const title = staffTitle ?? ownTitle;
  const { close } = drawer;
  useEffect(close, [path, close]);
  // The profile may load after the page.
  useEffect(focusPageIfPending, []);
  const titleId = useId();

  const isMenuShown = isNarrow ? isDrawerOpen : !isHidden;
  return (
    <div className={classes['shell']}>
      <a className={classes['skip']} href="#content">
        {t('skipToContent')}
      </a>
      {isNarrow
        ? MenuDrawer !== undefined && <MenuDrawer isOpen={isDrawerOpen} onClose={close} />
        : !isHidden && (
            <aside className={classes['side']} aria-label={t('menu.side')}>
              <SideMenu hasLogo />
            </aside>
          )}
      <div className={classes['page']}>
        <TopBar
          title={title}
          titleId={titleId}
          namesTab={!isSubscreen}
          isMenuShown={isMenuShown}
          isStaffArea={staffScreen !== undefined}
          onToggleMenu={isNarrow ? drawer.toggle : () => menuChoice.set(!isHidden)}
        />
        <main id="content" tabIndex={-1} aria-labelledby={titleId} className={classes['content']}>
          {title !== undefined && !isSubscreen && path !== HOME && <Breadcrumbs items={[{ label: title }]} />}
          {currentView() !== undefined && <ViewNotice />}
          <SecondFactorNotice />
          {children}
        </main>
      </div>
      <OfflineBanner />
    </div>
  );
}

function ViewNotice() {
  const [ViewBanner, load] = useLazyPart(viewBanner);
  useEffect(load, [load]);
  return ViewBanner === undefined ? null : <ViewBanner />;
}

/** Shown on every page to staff whose permissions require two-factor sign-in. */
function SecondFactorNotice() {
  const { t } = useTranslation();
  const secondFactor = useProfile()?.secondFactor;
  if (secondFactor !== 'DUE') return null;
  return (
    <div className={classes['notice']}>
      <IconShieldLock size={22} stroke={1.6} aria-hidden="true" />
      <p>{t('secondFactorDue')}</p>
      <Link to="/account" hash="second-factor" className={plainButtonClass({ isQuiet: true, isCompact: true })}>
        {t('secondFactorSetUp')}
      </Link>
    </div>
  );
}
