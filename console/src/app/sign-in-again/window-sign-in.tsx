import { oauthApi, type SessionUser, type SiteInfo } from '@relay-hub/contract';
import { useMutation } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { fetchSignedInUser } from '#api/failed-call.ts';
import { authorizeUrl } from '#api/sign-in-provider.ts';
import { onSignInWindow, openSignInWindow, type WindowOutcome } from '#api/sign-in-window.ts';
import { ProviderButtons, type Provider } from '#domain/sign-in/provider-buttons.tsx';
import { needsSecondStep } from '#domain/sign-in/needs-second-step.ts';
import { Button } from '#ui/basic/button.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { countUnsaved } from '#ui/overlay/use-leave-guard.ts';
import { useLatest } from '#ui/basic/use-latest.ts';
import { discardPage } from '#app/discard-page.ts';

const WeChatForm = lazy(async () => ({ default: (await import('#domain/identity/wechat-dialog.tsx')).WeChatForm }));

type Away = Exclude<Provider, 'wechat'>;

interface Props {
  site: SiteInfo;
  shown: readonly Provider[];
  onSignedIn: (user: SessionUser) => void;
  onSecondStep: () => void;
}

/** Signs in at a provider in a new window, to keep this page. */
export function WindowSignIn({ site, shown, onSignedIn, onSecondStep }: Props) {
  const { t } = useTranslation(['signInAgain', 'elsewhere']);
  const [scanning, setScanning] = useState(false);
  const [failure, setFailure] = useState<string>();
  const begin = useMutation({
    mutationFn: (provider: Away) => openSignInWindow(provider, site),
    meta: { quiet: true },
    onMutate: () => setFailure(undefined),
  });
  useOutcome(async (outcome) => {
    if (outcome.result === 'second_step') return onSecondStep();
    if (outcome.result === 'failed') return setFailure(outcome.message);
    const user = await fetchSignedInUser();
    if (user) onSignedIn(user);
  });
  const scan = async (code: string) => {
    try {
      onSignedIn(await call(oauthApi.wechat, { query: { code } }));
    } catch (error) {
      if (!needsSecondStep(error)) throw error;
      onSecondStep();
    }
  };
  const provider = begin.variables;
  const wrong = failure ?? begin.error?.message;
  return (
    <div className="grid grid-cols-1 gap-3">
      <ProviderButtons
        providers={shown}
        busy={begin.isPending ? provider : undefined}
        onChoose={(chosen) => (chosen === 'wechat' ? setScanning(!scanning) : begin.mutate(chosen))}
      />
      {wrong !== undefined && (
        <Note tone="bad" live>
          {wrong}
        </Note>
      )}
      {provider && begin.data === true && wrong === undefined && (
        <Note live>{t('inWindow', { provider: t(`elsewhere:${provider}`) })}</Note>
      )}
      {provider && begin.data === false && <Blocked provider={provider} site={site} />}
      {scanning && (
        <Suspense>
          <WeChatForm action={t('elsewhere:signIn')} onCode={scan} onDone={() => setScanning(false)} />
        </Suspense>
      )}
    </div>
  );
}

/** The browser blocked the window: offers to leave this page for the provider's. */
function Blocked({ provider, site }: { provider: Away; site: SiteInfo }) {
  const { t } = useTranslation('signInAgain');
  const [changes] = useState(countUnsaved);
  const leave = useMutation({
    mutationFn: async () => {
      discardPage(await authorizeUrl(provider, site));
    },
    meta: { quiet: true },
  });
  return (
    <Note tone="warn" live>
      <p>
        {t('blocked')} {changes > 0 ? t('blockedChanges', { count: changes }) : t('blockedPage')}
      </p>
      <Button size="sm" className="mt-2" busy={leave.isPending} onClick={() => leave.mutate()}>
        {t('blockedLeave')}
      </Button>
      {leave.isError && <p className="mt-2 text-bad">{leave.error.message}</p>}
    </Note>
  );
}

function useOutcome(onOutcome: (outcome: WindowOutcome) => unknown): void {
  const latest = useLatest(onOutcome);
  useEffect(() => onSignInWindow((outcome) => void latest.current(outcome)), [latest]);
}
