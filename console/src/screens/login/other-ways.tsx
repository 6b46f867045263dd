import { lazy, Suspense } from 'react';
import { offers } from '#api/elsewhere.ts';
import { useSite } from '#api/site.ts';
import { loadTexts } from '#i18n/i18n.ts';

/** Not loaded where the operator has switched none of them on. */
const OtherWaysList = lazy(async () => {
  const [{ OtherWaysList: list }] = await Promise.all([import('./other-ways-list.tsx'), loadTexts('elsewhere')]);
  return { default: list };
});

/** The accounts elsewhere that one can sign in with, below the form of the login and of the register page. */
export function OtherWays() {
  const site = useSite();
  if (!site || !Object.values(offers(site)).includes(true)) return null;
  return (
    // As high as the list of them, which moves nothing when it comes.
    <Suspense fallback={<div className="h-20" />}>
      <OtherWaysList site={site} />
    </Suspense>
  );
}
