import { oauthApi, type SiteInfo } from '@relay-hub/contract';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { ApiError } from '#api/api-error.ts';
import { call } from '#api/call.ts';
import { referralCode, goToProvider, offeredProviders, type RedirectProvider } from '#api/sign-in-provider.ts';
import { rememberUser } from '#api/session.ts';
import { loadTexts } from '#i18n/i18n.ts';
import { toast } from '#ui/feedback/toast.ts';
import { ProviderButtons, providers } from './provider-buttons.tsx';

const WeChatDialog = lazy(async () => {
  const [{ WeChatDialog: dialog }] = await Promise.all([
    import('#domain/identity/wechat-dialog.tsx'),
    loadTexts('shared'),
  ]);
  return { default: dialog };
});

export function SignInProviderList({ site }: { site: SiteInfo }) {
  const { t } = useTranslation('elsewhere');
  const [scanning, setScanning] = useState(false);
  const offered = offeredProviders(site);
  const leave = useMutation({ mutationFn: (provider: RedirectProvider) => goToProvider(provider, site) });
  // The page is about to be left, so the button stays busy.
  const leaving = leave.isPending || leave.isSuccess ? leave.variables : undefined;
  return (
    <>
      <div className="mt-5 mb-4 flex items-center gap-3 text-12 text-text3 before:flex-1 before:border-t before:border-line after:flex-1 after:border-t after:border-line">
        {t('or')}
      </div>
      <ProviderButtons
        providers={providers.filter((provider) => offered[provider])}
        busy={leaving}
        onChoose={(provider) => (provider === 'wechat' ? setScanning(true) : leave.mutate(provider))}
      />
      {scanning && (
        <Suspense>
          <ScanToSignIn onClose={() => setScanning(false)} />
        </Suspense>
      )}
    </>
  );
}

function ScanToSignIn({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('elsewhere');
  const navigate = useNavigate();
  const signIn = async (code: string) => {
    try {
      rememberUser(await call(oauthApi.wechat, { query: { code, aff: referralCode() } }));
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'login.second_factor') throw error;
      void navigate({ to: '/login', search: ({ redirect }) => ({ redirect, second: true }), replace: true });
      return;
    }
    toast.success(t('signedIn', { provider: t('wechat') }));
    void navigate({ to: '/panel' });
  };
  return <WeChatDialog title={t('wechatTitle')} action={t('signIn')} onCode={signIn} onClose={onClose} />;
}
