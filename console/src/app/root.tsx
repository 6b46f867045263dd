import { Outlet, useRouterState } from '@tanstack/react-router';
import { Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { useQuery } from '@tanstack/react-query';
import { connection } from '#api/connection.ts';
import { ToastMount } from '#ui/feedback/toast-mount.tsx';
import { SavingDisabled } from '#ui/form/saving-disabled.ts';
import { Notice } from './notice/notice.tsx';
import { SignInAgainMount } from '#app/sign-in-again/sign-in-again-mount.tsx';
import { atBase } from '#base-path.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { consoleVersion, siteQuery, useSiteName } from '#api/site.ts';
import { isConsole } from '#api/session.ts';
import { applySiteLanguage } from '#i18n/i18n.ts';
import { setSiteFormat } from '#ui/format/site-format.ts';
import { successLimits } from '#domain/channel/success-limits.ts';
import { toast } from '#ui/feedback/toast.ts';
import { useCurrentTitle, useHasScreen } from './use-screens.ts';

/** Pages that are not in the menu of the console. */
const titles = {
  '/price': 'public.price',
  '/about': 'public.about',
  '/login': 'public.login',
  '/register': 'public.register',
  '/reset': 'public.reset',
  '/user/reset': 'public.reset',
  '/404': 'missing.title',
  '/panel/404': 'missing.title',
} as const;

const isTitled = (path: string): path is keyof typeof titles => Object.hasOwn(titles, path);

/** Title of the current page, for the browser's tab and screen readers. */
function useTitle(): string {
  const { t } = useTranslation();
  const name = useSiteName();
  const current = useCurrentTitle();
  const path = useRouterState({
    select: ({ resolvedLocation, location }) => (resolvedLocation ?? location).pathname.replace(/\/+$/, '') || '/',
  });
  const shown = useHasScreen()(path) ? path : '/404';
  if (current) return `${current.title} · ${name}`;
  return isTitled(shown) ? `${t(titles[shown])} · ${name}` : name;
}

let builtInIcon: string | undefined;

/** Empty for the built-in icon. */
function showTabIcon(address: string): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  if (!link) return;
  builtInIcon ??= link.href;
  link.href = atBase(address) || builtInIcon;
}

const anyVersion = new Set(['', 'v0.0.0', consoleVersion]);

/** Applies the site information to the page: title, money format, language, notice of a new version. */
function useSiteEffects(): void {
  const { t } = useTranslation();
  const { data: site, dataUpdatedAt, errorUpdatedAt } = useQuery(siteQuery);
  const title = useTitle();
  useEffect(() => {
    document.title = title;
  }, [title]);

  const icon = site?.favicon ?? '';
  useEffect(() => showTabIcon(icon), [icon]);

  // Ignore data cached from an earlier visit.
  const fresh = dataUpdatedAt > 0 ? site : undefined;
  const language = fresh?.language;
  useEffect(() => {
    if (language) void applySiteLanguage(language);
  }, [language]);

  const version = fresh?.version ?? '';
  useEffect(() => {
    if (!anyVersion.has(version)) toast.info(t('error.version'));
  }, [version, t]);

  // Public pages without site information are replaced by one that says so.
  const isTold = !site && !isConsole();
  useEffect(() => {
    if (errorUpdatedAt > 0 && !isTold) toast.error(t('error.connect'));
  }, [errorUpdatedAt, isTold, t]);

  useEffect(() => {
    if (!site) return;
    setSiteFormat({ inCurrency: site.display_in_currency, quotaPerUnit: site.quota_per_unit });
    successLimits.set({ fine: site.success_rate_fine, poor: site.success_rate_poor });
  }, [site]);
}

export function Root() {
  useSiteEffects();
  const offline = useSyncExternalStore(connection.subscribe, isOffline);
  return (
    <>
      <RouteProgress />
      <PageAnnouncer />
      <Outlet />
      <Notice />
      <SignInAgainMount />
      <SavingDisabled value={offline}>
        <Suspense>
          <ToastMount />
        </Suspense>
      </SavingDisabled>
    </>
  );
}

const isOffline = (): boolean => !connection.get().online;

/** Announces the title of a page that came without a page load; of the first one, browsers announce it themselves. */
function PageAnnouncer() {
  const title = useTitle();
  const [first] = useState(title);
  const [moved, setMoved] = useState(false);
  if (!moved && title !== first) setMoved(true);
  return (
    <p role="status" className="sr-only">
      {moved && title}
    </p>
  );
}

/** A thin progress line at the top while a screen loads; hidden for short waits. */
function RouteProgress() {
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
