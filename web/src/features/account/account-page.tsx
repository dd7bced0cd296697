import { SegmentedControl, Select } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { isLanguage, languages } from '../../i18n/languages.ts';
import { changeLanguage } from '../../session/change-language.ts';
import { useProfile } from '../../session/profile.ts';
import { setThemeMode, themeModes, useThemeMode } from '../../ui/color-scheme.ts';
import { Copyable } from '../../ui/copyable.tsx';
import classes from './account-section.module.css';
import { AccountSection } from './account-section.tsx';
import { AlertsSection } from './alerts-section.tsx';
import { CompanySection } from './company-section.tsx';
import { DeletionSection } from './deletion-section.tsx';
import { PasswordSection } from './password-section.tsx';
import { SecondFactorSection } from './second-factor-section.tsx';
import { SessionsSection } from './sessions-section.tsx';

export function AccountPage() {
  const profile = useProfile();
  return (
    <div className={classes['page']}>
      <ProfileSection />
      <AlertsSection />
      <CompanySection />
      <PasswordSection email={profile?.email ?? ''} />
      <SecondFactorSection />
      <SessionsSection />
      <DeletionSection />
    </div>
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
