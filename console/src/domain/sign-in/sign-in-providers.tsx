import { lazy, Suspense } from 'react';
import { offeredProviders } from '#api/sign-in-provider.ts';
import { useSite } from '#api/site.ts';
import { loadTexts } from '#i18n/i18n.ts';

/** Not loaded unless the operator enabled a provider. */
const SignInProviderList = lazy(async () => {
  const [{ SignInProviderList: list }] = await Promise.all([
    import('./sign-in-provider-list.tsx'),
    loadTexts('elsewhere'),
  ]);
  return { default: list };
});

/** Providers to sign in with, below the forms of login and registration. */
export function SignInProviders() {
  const site = useSite();
  if (!site || !Object.values(offeredProviders(site)).includes(true)) return null;
  return (
    // As high as the list, so that loading moves nothing.
    <Suspense fallback={<div className="h-20" />}>
      <SignInProviderList site={site} />
    </Suspense>
  );
}
