import { lazy, Suspense } from 'react';
import { proofQuestion } from '#api/proof.ts';
import { session } from '#api/session.ts';
import { useStore } from '#api/store.ts';

const SignInAgain = lazy(async () => ({ default: (await import('./sign-in-again.tsx')).SignInAgain }));

/** Mount once, near the root: asks who somebody is before what matters most, and after the session has ended. */
export function SignInMount() {
  const question = useStore(proofQuestion);
  if (!useStore(session).ended && !question) return null;
  return (
    <Suspense>
      <SignInAgain />
    </Suspense>
  );
}
