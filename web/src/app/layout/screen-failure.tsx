import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isLoadFailure } from '../../lib/load-failure.ts';
import { queryClient } from '../../lib/query.ts';
import { LoadFailure } from '../../ui/list-state.tsx';
import { failureText } from '../failure-text.ts';

/** In place of a screen that failed: the menu stays, and another screen or another try starts anew. */
export function ScreenFailure({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  useEffect(forgetAnswers, []);

  async function tryAgain(): Promise<void> {
    // The browser keeps a file that did not arrive as failed; only a new page asks for it again.
    if (isLoadFailure(error)) return location.reload();
    forgetAnswers();
    await router.invalidate();
    reset();
  }

  return <LoadFailure text={failureText(error)} onRetry={() => void tryAgain()} />;
}

/** Those that nothing on the page shows now: one of them may be what the screen failed at, and would fail at again. */
function forgetAnswers(): void {
  queryClient.removeQueries({ type: 'inactive' });
}
