import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useSite, useSiteName } from '#api/site.ts';
import { EntryCard } from '#shared/entry-card.tsx';
import { Note } from '#shared/note.tsx';
import { OtherWays } from '../login/other-ways.tsx';
import { RegisterForm } from './register-form.tsx';

export function RegisterScreen() {
  const { t } = useTranslation('register');
  const name = useSiteName();
  const site = useSite();
  const isOpen = site?.register_enabled !== false;
  const withPassword = isOpen && site?.password_register !== false;
  const toLogin = (
    <>
      {t('hasAccount')}{' '}
      <Link to="/login" className="text-accent underline-offset-2 hover:underline">
        {t('toLogin')}
      </Link>
    </>
  );
  return (
    <EntryCard title={t('title', { name })} below={toLogin}>
      {withPassword && site && <RegisterForm site={site} />}
      {!isOpen && (
        <>
          <Note tone="warn">{t('closed')}</Note>
          <p className="mt-4 text-text2">{t('closedText')}</p>
        </>
      )}
      {isOpen && !withPassword && <Note>{t('byOthers')}</Note>}
      {isOpen && <OtherWays />}
    </EntryCard>
  );
}
