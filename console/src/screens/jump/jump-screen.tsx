import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { chatApps } from '#api/chat-links.ts';
import { siteQuery } from '#api/site.ts';
import { MessagePage } from '#app/message-page.tsx';
import { Button } from '#ui/basic/button.tsx';
import { Spinner } from '#ui/feedback/spinner.tsx';
import { appAddress, type AppAddress } from './app-address.ts';

const route = getRouteApi('/_public/jump');

/**
 * Redirects from a web link to a chat client's deep link, with the key and server it carries. Only the apps among the
 * configured chat links are opened.
 */
export function JumpScreen() {
  const { url } = route.useSearch();
  // Not the copy of an earlier visit: the operator may have removed an app since.
  const { data: site, dataUpdatedAt, isError } = useQuery(siteQuery);
  const known = dataUpdatedAt > 0 || isError;
  const apps = useMemo(() => chatApps(known && !isError ? (site?.chat_links ?? '') : ''), [known, isError, site]);
  const app = useMemo(() => appAddress(url, apps), [url, apps]);
  if (!known) return <Spinner size={20} className="m-auto" />;
  return app ? <Opening app={app} /> : <NoApp />;
}

function Opening({ app: { href, name, shown } }: { app: AppAddress }) {
  const { t } = useTranslation('jump');
  useEffect(() => location.assign(href), [href]);
  // Browsers may require a press before opening an app, and the app may be missing.
  const again = (
    <Button variant="primary" size="lg" render={<a href={href} />}>
      {t('open', { name })}
    </Button>
  );
  return (
    <MessagePage title={t('opening', { name })} actions={again}>
      <p>{t('hint', { name })}</p>
      <p className="mt-3 rounded-control bg-sunk px-3 py-2 text-left font-mono text-12 break-all">{shown}</p>
    </MessagePage>
  );
}

function NoApp() {
  const { t } = useTranslation('jump');
  const home = (
    <Button variant="primary" size="lg" render={<Link to="/" />}>
      {t('home')}
    </Button>
  );
  return (
    <MessagePage title={t('invalid')} actions={home}>
      {t('cause')}
    </MessagePage>
  );
}
