import type { Language } from '../../i18n/languages.ts';
import { useProfile } from '../../session/profile.ts';
import classes from './account-section.module.css';
import { AlertsSection } from './alerts-section.tsx';
import { CompanySection } from './company-section.tsx';
import { PasswordSection } from './password-section.tsx';
import { ProfileSection } from './profile-section.tsx';
import { SecondFactorSection } from './second-factor-section.tsx';
import { SessionsSection } from './sessions-section.tsx';

/** `onLanguage` switches the interface and the language of mails. */
export function AccountPage({ onLanguage }: { onLanguage: (language: Language) => void }) {
  const profile = useProfile();
  return (
    <div className={classes['page']}>
      <ProfileSection onLanguage={onLanguage} />
      <AlertsSection />
      <CompanySection />
      <PasswordSection email={profile?.email ?? ''} />
      <SecondFactorSection />
      <SessionsSection />
    </div>
  );
}
