import i18next from 'i18next';
import { showToast } from './toasts.ts';
import { tokens } from './tokens.ts';

/** The server has refused the session in the middle of the user's work: signs out in all tabs, and says why. */
export function endRefusedSession(): void {
  tokens.set(undefined);
  // After the change, which removes the toasts of the session.
  showToast('warning', i18next.t('errors.UNAUTHORIZED'));
}
