import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSite, useSiteName } from '#api/site.ts';
import { cx } from '#ui/basic/cx.ts';
import { EntryCard } from '#ui/table/entry-card.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { SignInProviders } from '#domain/sign-in/sign-in-providers.tsx';

const RegisterForm = lazy(async () => ({ default: (await import('./register-form.tsx')).RegisterForm }));

export function RegisterScreen() {
  const { t } = useTranslation('register');
  const name = useSiteName();
  const site = useSite();
  const isOpen = site?.register_enabled !== false;
  const withPassword = isOpen && site?.password_register !== false;
  const toLogin = (
    <>
      {t('hasAccount')}{' '}
      <Link to="/login" className="text-accent underline underline-offset-2">
        {t('toLogin')}
      </Link>
    </>
  );
  return (
    <EntryCard title={t('title', { name })} below={toLogin}>
      {withPassword && site && (
        <Suspense fallback={<Waiting tall={site.email_verification} />}>
          <RegisterForm site={site} />
        </Suspense>
      )}
      {!isOpen && (
        <>
          <Note tone="warn">{t('closed')}</Note>
          <p className="mt-4 text-text2">{t('closedText')}</p>
        </>
      )}
      {isOpen && !withPassword && <Note>{t('byOthers')}</Note>}
      {isOpen && <SignInProviders />}
    </EntryCard>
  );
}

/** As high as the form, so that loading moves nothing. */
function Waiting({ tall }: { tall: boolean }) {
  return (
    <div className={cx('grid content-start gap-6', tall ? 'h-124' : 'h-79')}>
      <Skeleton width="30%" />
      <Skeleton width="100%" />
      <Skeleton width="30%" />
      <Skeleton width="100%" />
    </div>
  );
}
