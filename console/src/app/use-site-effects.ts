import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { atBase } from '#base-path.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { consoleVersion, siteQuery } from '#api/site.ts';
import { isConsole } from '#api/session.ts';
import { applySiteLanguage } from '#i18n/i18n.ts';
import { setSiteFormat } from '#ui/format/site-format.ts';
import { successLimits } from '#domain/channel/success-limits.ts';
import { toast } from '#ui/feedback/toast.ts';
import { useTitle } from './use-title.ts';

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
export function useSiteEffects(): void {
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
