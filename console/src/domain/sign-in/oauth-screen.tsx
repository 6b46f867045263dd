import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { oauthApi, type SessionUser } from '@relay-hub/contract';
import { useEffect, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { ApiError } from '#api/api-error.ts';
import { type RedirectProvider, referralCode } from '#api/sign-in-provider.ts';
import { rememberUser, useSession } from '#api/session.ts';
import { isSignInWindow, reportSignIn, type WindowOutcome } from '#api/sign-in-window.ts';
import { Button } from '#ui/basic/button.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { Spinner } from '#ui/feedback/spinner.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { useNow } from '#ui/format/use-now.ts';
import { call } from '#api/call.ts';
import type { OAuthCallbackSearch } from './oauth-callback-search.ts';

/** Number of retries. */
const retries = 3;
const pauseMs = 2000;

/** Transient failures: no answer, or an error of our server or the provider. Refusals are not retried. */
const isTransient = (error: Error): boolean =>
  error instanceof ApiError && (error.isNetwork || error.status === 429 || error.status >= 500);

/**
 * Exchanges the callback's code: `data` is the account that signed in, or null if an identity was connected. Runs
 * once per state.
 */
function useOAuthCallback(provider: RedirectProvider, { code = '', state = '', iss, error }: OAuthCallbackSearch) {
  return useQuery({
    queryKey: [oauthApi[provider].path, state],
    queryFn: async (): Promise<SessionUser | null> => {
      // The visitor declined, or the address does not come from a provider.
      if (error !== undefined || code === '' || state === '') throw new ApiError({ status: 400, message: '' });
      const query = { code, state, ...(provider === 'oidc' && { iss }), aff: referralCode() };
      return (await call(oauthApi[provider], { query })) ?? null;
    },
    retry: (failures, failure) => failures < retries && isTransient(failure),
    retryDelay: pauseMs,
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    // The page shows the error.
    meta: { quiet: true },
  });
}

const routes = {
  github: getRouteApi('/_public/oauth/github'),
  oidc: getRouteApi('/_public/oauth/oidc'),
  lark: getRouteApi('/_public/oauth/lark'),
};

export const GitHubScreen = () => <OAuthScreen provider="github" search={routes.github.useSearch()} />;
export const OidcScreen = () => <OAuthScreen provider="oidc" search={routes.oidc.useSearch()} />;
export const LarkScreen = () => <OAuthScreen provider="lark" search={routes.lark.useSearch()} />;

/** Callback page of providers: signs in or connects the account, retries after transient failures, and redirects. */
function OAuthScreen({ provider, search }: { provider: RedirectProvider; search: OAuthCallbackSearch }) {
  const { t } = useTranslation('elsewhere');
  const navigate = useNavigate();
  const { data, error, failureCount } = useOAuthCallback(provider, search);
  const wantsMore = error instanceof ApiError && error.code === 'login.second_factor';
  const inWindow = isSignInWindow(search.state);
  const outcome = inWindow
    ? outcomeOf(data, error, t(search.error === 'access_denied' ? 'denied' : 'nothing'))
    : undefined;
  useEffect(() => {
    if (data === undefined) return;
    if (data) rememberUser(data);
    if (inWindow) return;
    toast.success(t(data ? 'signedIn' : 'bound', { provider: t(provider) }));
    void navigate({ to: '/panel', replace: true });
  }, [data, inWindow, navigate, provider, t]);
  useEffect(() => {
    if (wantsMore && !inWindow) void navigate({ to: '/login', search: { second: true }, replace: true });
  }, [wantsMore, inWindow, navigate]);
  return (
    <div className="m-auto w-100 max-w-full pt-7 pb-12 max-sm:mt-0">
      <h1 className="mb-5 text-center text-24">{t('title', { provider: t(provider) })}</h1>
      <section
        aria-live="polite"
        className="flex flex-col gap-4 rounded-card border border-line bg-card p-8 text-14 max-sm:p-5"
      >
        {outcome ? (
          <Reported outcome={outcome} state={search.state ?? ''} />
        ) : error && !wantsMore ? (
          <Failed error={error} retried={failureCount - 1} reason={search.error} />
        ) : (
          <p className="flex items-center justify-center gap-2.5 text-text2">
            <Spinner />
            {failureCount > 0 ? t('retrying', { count: failureCount, most: retries }) : t('working')}
          </p>
        )}
      </section>
    </div>
  );
}

/** Outcome to report from a sign-in window; undefined while pending. */
function outcomeOf(
  data: SessionUser | null | undefined,
  error: Error | null,
  words: string,
): WindowOutcome | undefined {
  if (data !== undefined) return { result: 'signed_in' };
  if (!error) return undefined;
  if (error instanceof ApiError && error.code === 'login.second_factor') return { result: 'second_step' };
  return { result: 'failed', message: error.message || words };
}

/** Reports to the opener; visible only where the browser refuses to close the window. */
function Reported({ outcome, state }: { outcome: WindowOutcome; state: string }) {
  const { t } = useTranslation('elsewhere');
  const [reported] = useState(outcome);
  useEffect(() => reportSignIn(state, reported), [state, reported]);
  return (
    <p className="text-center text-text2">
      {t(reported.result === 'signed_in' ? 'closeSignedIn' : 'closeNotSignedIn')}
    </p>
  );
}

const waitS = 5;

interface FailedProps {
  error: Error;
  /** Number of retries; 0 for a refusal, which is not retried. */
  retried: number;
  /** The provider's error code. */
  reason: string | undefined;
}

/** Shows the error, then goes back after a moment. */
function Failed({ error, retried, reason }: FailedProps) {
  const { t } = useTranslation('elsewhere');
  const navigate = useNavigate();
  const bound = useSession().user !== undefined;
  const now = useNow(1);
  const [since] = useState(now);
  const left = Math.max(0, waitS - (now - since));
  const to = bound ? '/panel/profile' : '/login';
  useEffect(() => {
    if (left === 0) void navigate({ to, replace: true });
  }, [left, navigate, to]);
  return (
    <>
      <Note tone="bad" live>
        {error.message || t(reason === 'access_denied' ? 'denied' : 'nothing')}
      </Note>
      <p className="text-13 text-text2">
        {t(bound ? 'backToProfile' : 'backToLogin', { seconds: left })} {retried > 0 && t('tried', { count: retried })}
      </p>
      <Button size="lg" className="w-full" onClick={() => void navigate({ to, replace: true })}>
        {t(bound ? 'profileNow' : 'loginNow')}
      </Button>
    </>
  );
}
