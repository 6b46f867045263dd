import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { SessionUser } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSite, useSiteName } from '#api/site.ts';
import { EntryCard } from '#ui/table/entry-card.tsx';
import { SignInProviders } from '#domain/sign-in/sign-in-providers.tsx';
import { atBase } from '#base-path.ts';
import { rememberUser } from '#api/session.ts';
import { FirstStepForm } from '#domain/sign-in/first-step-form.tsx';
import { PasskeyButton } from '#domain/sign-in/passkey-button.tsx';

const SecondStep = lazy(async () => ({ default: (await import('#domain/sign-in/second-step.tsx')).SecondStep }));

interface Props {
  second: boolean;
  onStep: (step: 'first' | 'second') => void;
}

function LoginForm({ second, onStep }: Props) {
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

const route = getRouteApi('/_public/login');

export function LoginScreen() {
  const { t } = useTranslation('login');
  const { redirect, second: owed = false } = route.useSearch();
  const navigate = route.useNavigate();
  const [secondStarted, setSecondStarted] = useState(false);
  const second = owed || secondStarted;
  const goTo = (step: 'first' | 'second') => {
    setSecondStarted(step === 'second');
    if (owed && step === 'first') void navigate({ search: { redirect }, replace: true });
  };
  const name = useSiteName();
  const site = useSite();
  const toRegister = !second && site?.register_enabled !== false && (
    <>
      {t('noAccount')}{' '}
      <Link to="/register" className="text-accent underline underline-offset-2">
        {t('toRegister')}
      </Link>
    </>
  );
  return (
    <EntryCard title={t('title', { name })} below={toRegister}>
      <LoginForm second={second} onStep={goTo} />
      {!second && <SignInProviders />}
    </EntryCard>
  );
}
