import { registerApi } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { apiQuery } from '#api/api-query.ts';
import { Button } from '#ui/basic/button.tsx';
import { EntryCard } from '#ui/table/entry-card.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';

const loadForm = () => import('./new-password-form.tsx');
const NewPasswordForm = lazy(async () => ({ default: (await loadForm()).NewPasswordForm }));

const route = getRouteApi('/_public/user/reset');

/** Destination of the link in the reset mail. */
export function NewPasswordScreen() {
  const { t } = useTranslation('register');
  const { email, token } = route.useSearch();
  const [refused, setRefused] = useState(false);
  const isWhole = email !== '' && token !== '';
  // Loads while the link is checked.
  useEffect(() => void (isWhole && loadForm()), [isWhole]);
  const { data, error, isFetching, refetch } = useQuery({
    ...apiQuery(registerApi.checkReset, { body: { email, token } }),
    enabled: isWhole,
    meta: { quiet: true },
    gcTime: 0,
    staleTime: Infinity,
  });
  const broken = !isWhole || refused || data?.valid === false || (error !== null && 'field' in error && error.field);
  return (
    <EntryCard title={t(broken ? 'invalidLink' : 'newTitle')}>
      {broken ? (
        <InvalidLink />
      ) : data ? (
        <Suspense fallback={<Waiting />}>
          <NewPasswordForm email={email} token={token} onRefused={() => setRefused(true)} />
        </Suspense>
      ) : error ? (
        <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
      ) : (
        <Waiting />
      )}
    </EntryCard>
  );
}

function Waiting() {
  const { t } = useTranslation('register');
  return (
    <div role="status" aria-label={t('checking')} className="grid h-50 content-start gap-6">
      <Skeleton width="60%" />
      <Skeleton width="100%" />
    </div>
  );
}

function InvalidLink() {
  const { t } = useTranslation('register');
  return (
    <div className="grid grid-cols-1 gap-4">
      <Note tone="bad" live>
        {t('invalidLinkText')}
      </Note>
      <Button size="lg" variant="primary" className="w-full" render={<Link to="/reset" />}>
        {t('askAgain')}
      </Button>
    </div>
  );
}
