import { useProfile } from '../../session/profile.ts';
import classes from './account-section.module.css';
import { AlertsSection } from './alerts-section.tsx';
import { CompanySection } from './company-section.tsx';
import { PasswordSection } from './password-section.tsx';
import { ProfileSection } from './profile-section.tsx';
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
    </div>
  );
}
