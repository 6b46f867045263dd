import { useRouterState } from '@tanstack/react-router';
import { useTranslation } from '#i18n/use-translation.ts';

/** A thin progress line at the top while a screen loads; hidden for short waits. */
export function RouteProgress() {
  const { t } = useTranslation();
  const loading = useRouterState({ select: (state) => state.status === 'pending' });
  if (!loading) return null;
  return (
    // A landmark, because all content has to be in one.
    <section aria-label={t('nav.loading')}>
      <div
        role="progressbar"
        aria-label={t('nav.loading')}
        className="fixed inset-x-0 top-0 z-70 h-0.5 overflow-hidden"
      >
        <div className="route-progress h-full w-full origin-left bg-accent-fill" />
      </div>
    </section>
  );
}
