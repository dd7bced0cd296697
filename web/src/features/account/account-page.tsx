import { SegmentedControl, Select } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { isLanguage, languages } from '../../i18n/languages.ts';
import { changeLanguage } from '../../session/change-language.ts';
import { useProfile } from '../../session/profile.ts';
import { setThemeMode, themeModes, useThemeMode } from '../../ui/color-scheme.ts';
import { Copyable } from '../../ui/copyable.tsx';
import classes from './account-section.module.css';
import { AccountSection } from './account-section.tsx';
import tabs from './account-tabs.module.css';
import { type AccountTab, accountTabs, tabOf } from './account-tabs.ts';
import { AlertsSection } from './alerts-section.tsx';
import { CompanySection } from './company-section.tsx';
import { DeletionSection } from './deletion-section.tsx';
import { PasswordSection } from './password-section.tsx';
import { SecondFactorSection } from './second-factor-section.tsx';
import { SessionsSection } from './sessions-section.tsx';

/** The tab is in the fragment of the URL, as are the sections that other pages link to. */
export function AccountPage() {
  const current = tabOf(useLocation({ select: ({ hash }) => hash }));
  return (
    <>
      <Tabs current={current} />
      <div className={classes['page']}>
        <TabContent tab={current} />
      </div>
    </>
  );
}

function Tabs({ current }: { current: AccountTab }) {
  const { t } = useTranslation('user');
  return (
    <nav className={tabs['tabs']} aria-label={t('tabs.label')}>
      {accountTabs.map((tab) => (
        <Link
          key={tab}
          to="/account"
          hash={tab}
          hashScrollIntoView={false}
          resetScroll={false}
          // Otherwise the router takes all of them for the current page.
          activeOptions={{ exact: true, includeHash: true }}
          aria-current={tab === current ? 'page' : undefined}
        >
          {t(`tabs.${tab}`)}
        </Link>
      ))}
    </nav>
  );
}

function TabContent({ tab }: { tab: AccountTab }) {
  const profile = useProfile();
  if (tab === 'alerts') return <AlertsSection />;
  if (tab === 'data') return <DeletionSection />;
  if (tab === 'security')
    return (
      <>
        <PasswordSection email={profile?.email ?? ''} />
        <SecondFactorSection />
        <SessionsSection />
      </>
    );
  return (
    <>
      <ProfileSection />
      <CompanySection />
    </>
  );
}

function ProfileSection() {
  const { t, i18n } = useTranslation(['user', 'common']);
  const profile = useProfile();
  const mode = useThemeMode();
  return (
    <AccountSection anchor="profile" title={t('profile.title')} text={t('profile.text')}>
      <div className={classes['line']}>
        <span className={classes['name']}>{t('profile.email')}</span>
        <span className={classes['value']}>{profile?.email}</span>
      </div>
      <div className={classes['line']}>
        <span className={classes['name']}>{t('common:language')}</span>
        <Select
          aria-label={t('common:language')}
          w={200}
          allowDeselect={false}
          data={languages.map((language) => ({ value: language, label: t(`common:languages.${language}`) }))}
          value={i18n.resolvedLanguage ?? null}
          onChange={(value) => {
            if (isLanguage(value)) void changeLanguage(value);
          }}
        />
      </div>
      <div className={classes['line']}>
        <span className={classes['name']}>{t('common:theme')}</span>
        <SegmentedControl
          aria-label={t('common:theme')}
          data={themeModes.map((each) => ({ value: each, label: t(`common:themes.${each}`) }))}
          value={mode}
          onChange={setThemeMode}
        />
      </div>
      <div className={classes['line']}>
        <span className={classes['name']}>{t('profile.referralCode')}</span>
        <div className={classes['code']}>
          <Copyable name={t('profile.referralCode')} value={profile?.referralCode ?? ''} />
        </div>
      </div>
    </AccountSection>
  );
}
