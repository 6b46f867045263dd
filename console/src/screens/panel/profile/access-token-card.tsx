import { type OwnSecurity, profileApi } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { cx } from '#ui/basic/cx.ts';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Switch } from '#ui/form/switch.tsx';
import { Time } from '#ui/format/time.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { Secret } from '#ui/form/secret.tsx';
import {
  loadWebhookSecret,
  makeAccessToken,
  removeAccessToken,
  securityQuery,
  setAccessTokenScope,
} from './profile-api.ts';

const Confirm = lazy(async () => ({ default: (await import('#ui/overlay/confirm.tsx')).Confirm }));
const AccessTokenDialog = lazy(async () => ({
  default: (await import('./access-token-dialog.tsx')).AccessTokenDialog,
}));

type AccessToken = NonNullable<OwnSecurity['access_token']>;

/** The token for calling the management API; shown once, on creation. */
export function AccessTokenCard() {
  const { t } = useTranslation('profile');
  const { data, error, isFetching, refetch } = useQuery(securityQuery);
  const [asking, setAsking] = useState<'again' | 'revoke'>();
  const { fresh, make, remove, forget } = useAccessToken();
  const token = data?.access_token;
  return (
    <Card aria-labelledby="profile-access-token">
      <CardHead id="profile-access-token" title={t('accessToken')} />
      <div className="px-4 pb-4">
        <p className="mb-3 text-13 text-text2">
          <TextWithElements
            text={t('accessTokenText')}
            parts={{
              tokens: (
                <Link to="/panel/token" className="text-accent underline underline-offset-2">
                  {t('accessTokenLink')}
                </Link>
              ),
            }}
          />
        </p>
        {error && !data ? (
          <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
        ) : (
          <div className="flex flex-wrap items-center gap-2">
            <div
              className={cx(
                'flex min-h-9 min-w-50 flex-1 items-center rounded-control border border-line2 bg-sunk px-2.5 text-13 text-text2 max-sm:min-h-11',
                // Two buttons do not fit next to it.
                token && 'max-sm:basis-full',
              )}
            >
              {!data ? <Skeleton width={160} /> : token ? <Known token={token} /> : t('accessTokenNone')}
            </div>
            {token && <Button onClick={() => setAsking('revoke')}>{t('accessTokenRevoke')}</Button>}
            <Button disabled={!data} busy={make.isPending} onClick={() => (token ? setAsking('again') : make.mutate())}>
              {t(token ? 'accessTokenAgain' : 'accessTokenCreate')}
            </Button>
          </div>
        )}
      </div>
      {token && data?.family_mode && <FamilyScope token={token} />}
      <WebhookSecret />
      <Suspense>
        {asking && (
          <Confirm
            title={t(`${asking}Title`)}
            text={t(`${asking}Text`)}
            action={t(`${asking}Action`)}
            onConfirm={() => (asking === 'again' ? make.mutateAsync() : remove.mutateAsync())}
            onClose={() => setAsking(undefined)}
          />
        )}
        {fresh !== undefined && !asking && <AccessTokenDialog token={fresh} onClose={forget} />}
      </Suspense>
    </Card>
  );
}

/** Offered only while the site serves clients of the product family. */
function FamilyScope({ token: { scope } }: { token: AccessToken }) {
  const { t } = useTranslation('profile');
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: setAccessTokenScope,
    onSuccess: () => void refresh(client, profileApi.security),
  });
  return (
    <label className="mx-4 mb-4 flex items-start gap-2.5 text-13">
      <Switch
        saves
        checked={scope === 'family'}
        disabled={save.isPending}
        onChange={(on) => save.mutate(on ? 'family' : '')}
      />
      <span>
        {t('familyScope')}
        <span className="block text-text2">{t('familyScopeText')}</span>
      </span>
    </label>
  );
}

function Known({ token: { hint, created_time: made, used_time: used } }: { token: AccessToken }) {
  const { t } = useTranslation('profile');
  return (
    <span className="flex min-w-0 flex-1 flex-wrap items-center justify-between gap-x-3">
      <span className="font-mono text-12">{hint}</span>
      <span className="text-12">
        <TextWithElements text={t('accessTokenMade')} parts={{ date: <Time at={made} as="date" /> }} />
        {' · '}
        {used > 0 ? (
          <TextWithElements text={t('accessTokenUsed')} parts={{ age: <Time at={used} as="relative" /> }} />
        ) : (
          t('accessTokenUnused')
        )}
      </span>
    </span>
  );
}

function useAccessToken() {
  const { t } = useTranslation('profile');
  const client = useQueryClient();
  const [fresh, setFresh] = useState<string>();
  const again = () => refresh(client, profileApi.security);
  const make = useMutation({
    mutationFn: makeAccessToken,
    onSuccess: (token) => {
      setFresh(token);
      void again();
    },
    // The answer holds the token.
    gcTime: 0,
  });
  const remove = useMutation({
    mutationFn: removeAccessToken,
    onSuccess: () => {
      toast.success(t('revoked'));
      void again();
    },
  });
  const forget = () => {
    setFresh(undefined);
    make.reset();
  };
  return { fresh, make, remove, forget };
}

/** The secret by which receivers check notifications about the user's tasks. */
function WebhookSecret() {
  const { t } = useTranslation('profile');
  return (
    <div className="border-t border-line px-4 py-3">
      <h3 className="font-medium">{t('webhookSecret')}</h3>
      <p className="mb-2 text-13 text-text2">{t('webhookSecretText')}</p>
      <Secret boxed masked="whsec_••••••••" load={loadWebhookSecret} name={t('webhookSecret')} />
    </div>
  );
}
