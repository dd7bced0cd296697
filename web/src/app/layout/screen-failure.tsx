import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isLoadFailure } from '../../loading/load-failure.ts';
import { queryClient } from '../../data/query.ts';
import { onReconnect } from '../../data/network.ts';
import { LoadFailure } from '../../ui/list-state.tsx';
import { failureText } from '../failure-text.ts';

/** Replaces a screen that failed. The menu stays; navigation or a retry starts again. */
export function ScreenFailure({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  useEffect(removeUnusedResponses, []);
  useEffect(() => {
    if (!isLoadFailure(error)) return undefined;
    return onReconnect(() => location.reload());
  }, [error]);

  async function tryAgain(): Promise<void> {
    // The browser remembers that a module failed to load; only a reload requests it again.
    if (isLoadFailure(error)) return location.reload();
    removeUnusedResponses();
    await router.invalidate();
    reset();
  }

  return <LoadFailure text={failureText(error)} onRetry={() => void tryAgain()} />;
}

/** Removes cached responses that no component uses: the screen may have failed on one of them, and would fail again. */
function removeUnusedResponses(): void {
  queryClient.removeQueries({ type: 'inactive' });
}
