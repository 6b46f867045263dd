import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useSite, useSiteName } from '#api/site.ts';
import { EntryCard } from '#shared/entry-card.tsx';
import { LoginForm } from './login-form.tsx';
import { OtherWays } from './other-ways.tsx';

export function LoginScreen() {
  const { t } = useTranslation('login');
  const name = useSiteName();
  const site = useSite();
  const toRegister = site?.register_enabled !== false && (
    <>
      {t('noAccount')}{' '}
      <Link to="/register" className="text-accent underline underline-offset-2">
        {t('toRegister')}
      </Link>
    </>
  );
  return (
    <EntryCard title={t('title', { name })} below={toRegister}>
      <LoginForm />
      <OtherWays />
    </EntryCard>
  );
}
