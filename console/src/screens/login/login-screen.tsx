import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSite, useSiteName } from '#api/site.ts';
import { EntryCard } from '#ui/table/entry-card.tsx';
import { LoginForm } from './login-form.tsx';
import { SignInProviders } from '#domain/sign-in/sign-in-providers.tsx';

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
