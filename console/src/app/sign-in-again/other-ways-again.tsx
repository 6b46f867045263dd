import type { Self, SessionUser } from '@relay-hub/contract';
import { lazy, Suspense } from 'react';
import { offeredProviders } from '#api/sign-in-provider.ts';
import { canUsePasskeys } from '#api/passkey.ts';
import { useSite } from '#api/site.ts';
import { loadTexts } from '#i18n/i18n.ts';
import { PasskeyButton } from '#domain/sign-in/passkey-button.tsx';
import { providers, type Provider } from '#domain/sign-in/provider-buttons.tsx';
import { OrLine } from './or-line.tsx';

const Providers = lazy(async () => {
  const [{ ProvidersAgain }] = await Promise.all([import('./providers-again.tsx'), loadTexts('elsewhere')]);
  return { default: ProvidersAgain };
});

interface Props {
  /** The account as it was last read; undefined where it never was. */
  self: Self | undefined;
  onSignedIn: (user: SessionUser) => void;
  onSecondStep: () => void;
}

/** What else the account can sign in with: a passkey, and the accounts elsewhere that are bound to it. */
export function OtherWaysAgain({ self, onSignedIn, onSecondStep }: Props) {
  const shown = useProvidersOf(self);
  const site = useSite();
  if (!canUsePasskeys() && shown.length === 0) return null;
  return (
    <>
      <OrLine />
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

/** The sites that this one offers and the account is bound to; where the account was never read, all that are offered. */
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
