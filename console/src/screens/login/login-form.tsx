import type { SessionUser } from '@relay-hub/contract';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { atBase } from '#base-path.ts';
import { rememberUser } from '#api/session.ts';
import { FirstStepForm } from '#domain/sign-in/first-step-form.tsx';
import { PasskeyButton } from '#domain/sign-in/passkey-button.tsx';

const SecondStep = lazy(async () => ({ default: (await import('#domain/sign-in/second-step.tsx')).SecondStep }));

const route = getRouteApi('/_public/login');

interface Props {
  second: boolean;
  onStep: (step: 'first' | 'second') => void;
}

export function LoginForm({ second, onStep }: Props) {
  const { redirect } = route.useSearch();
  const router = useRouter();
  const [over, setOver] = useState<string>();
  const signedIn = (user: SessionUser) => {
    rememberUser(user);
    // The guard of this page redirects as soon as there is a user; this sets the destination.
    router.history.push(atBase(redirect ?? '/panel'));
  };
  const back = (why?: string) => {
    onStep('first');
    setOver(why);
  };
  if (second)
    return (
      <Suspense>
        <SecondStep onSignedIn={signedIn} onBack={back} />
      </Suspense>
    );
  return (
    <>
      <FirstStepForm over={over} onSignedIn={signedIn} onSecondStep={() => onStep('second')} />
      <div className="mt-3 flex flex-col gap-3 empty:hidden">
        <PasskeyButton onSignedIn={signedIn} />
      </div>
    </>
  );
}
