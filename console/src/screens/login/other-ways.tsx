import { lazy, Suspense } from 'react';
import { offers } from '#api/elsewhere.ts';
import { useSite } from '#api/site.ts';
import { loadTexts } from '#i18n/i18n.ts';

/** Not loaded unless the operator enabled a provider. */
const OtherWaysList = lazy(async () => {
  const [{ OtherWaysList: list }] = await Promise.all([import('./other-ways-list.tsx'), loadTexts('elsewhere')]);
  return { default: list };
});

/** Providers to sign in with, below the forms of login and registration. */
export function OtherWays() {
  const site = useSite();
  if (!site || !Object.values(offers(site)).includes(true)) return null;
  return (
    // As high as the list, so that loading moves nothing.
    <Suspense fallback={<div className="h-20" />}>
      <OtherWaysList site={site} />
    </Suspense>
  );
}
