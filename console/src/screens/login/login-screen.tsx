import { useTranslation } from 'react-i18next';
import { useSiteName } from '#api/site.ts';
import { LoginForm } from './login-form.tsx';

export function LoginScreen() {
  const { t } = useTranslation('login');
  const name = useSiteName();
  return (
    <div className="m-auto w-100 max-w-full pt-7 pb-12 max-sm:mt-0">
      <h1 className="mb-5 text-center text-24">{t('title', { name })}</h1>
      <section className="rounded-card border border-line bg-card px-8 pt-6 pb-8 text-14 max-sm:px-5 max-sm:pb-6">
        <LoginForm />
      </section>
    </div>
  );
}
