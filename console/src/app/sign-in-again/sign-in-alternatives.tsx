import type { Self, SessionUser } from '@relay-hub/contract';
import { lazy, Suspense } from 'react';
import { offeredProviders } from '#api/sign-in-provider.ts';
import { canUsePasskeys } from '#api/passkey.ts';
import { useSite } from '#api/site.ts';
import { loadTexts } from '#i18n/i18n.ts';
import { PasskeyButton } from '#domain/sign-in/passkey-button.tsx';
import { providers, type Provider } from '#domain/sign-in/provider-buttons.tsx';
import { OrDivider } from './or-divider.tsx';

const Providers = lazy(async () => {
  const [{ WindowSignIn }] = await Promise.all([import('./window-sign-in.tsx'), loadTexts('elsewhere')]);
  return { default: WindowSignIn };
});

interface Props {
  /** The account as last loaded; undefined if never loaded. */
  self: Self | undefined;
  onSignedIn: (user: SessionUser) => void;
  onSecondStep: () => void;
}

/** Alternatives to the password: a passkey, and the connected accounts. */
export function SignInAlternatives({ self, onSignedIn, onSecondStep }: Props) {
  const shown = useProvidersOf(self);
  const site = useSite();
  if (!canUsePasskeys() && shown.length === 0) return null;
  return (
    <>
      <OrDivider />
      <div className="grid grid-cols-1 gap-3 empty:hidden">
        <PasskeyButton onSignedIn={onSignedIn} />
      </div>
      {site && shown.length > 0 && (
        <Suspense fallback={<div className="h-10" />}>
          <Providers site={site} shown={shown} onSignedIn={onSignedIn} onSecondStep={onSecondStep} />
        </Suspense>
      )}
    </>
  );
}

/** The configured providers that the account is connected to; all of them if the account was never loaded. */
export function useProvidersOf(self: Self | undefined): Provider[] {
  const offered = offeredProviders(useSite());
  const bound = self && {
    github: self.github_id_new !== 0 || self.github_id !== '',
    lark: self.lark_id !== '',
    oidc: self.oidc_id !== '',
    wechat: self.wechat_id !== '',
  };
  return providers.filter((provider) => offered[provider] && (bound?.[provider] ?? true));
}
