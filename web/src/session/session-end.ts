import i18next from 'i18next';
import { showToast } from '../ui/toasts.ts';
import { tokens } from './tokens.ts';

/** Called when the server refuses the session of a signed-in user: signs out in all tabs, and shows the reason. */
export function endRefusedSession(): void {
  tokens.set(undefined);
  // After the change, which removes the toasts of the session.
  showToast('warning', i18next.t('errors.UNAUTHORIZED'));
}
