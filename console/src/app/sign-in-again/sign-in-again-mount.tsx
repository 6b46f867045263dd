import { lazy, Suspense } from 'react';
import { proofQuestion } from '#api/proof.ts';
import { session } from '#api/session.ts';
import { useStore } from '#api/store.ts';

const SignInAgain = lazy(async () => ({ default: (await import('./sign-in-again.tsx')).SignInAgain }));

/** Mount once, near the root: authenticates before sensitive actions and after the session has ended. */
export function SignInAgainMount() {
  const question = useStore(proofQuestion);
  if (!useStore(session).ended && !question) return null;
  return (
    <Suspense>
      <SignInAgain />
    </Suspense>
  );
}
