import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { MessagePage } from '#app/message-page.tsx';
import { Button } from '#ui/basic/button.tsx';
import { appAddress, type AppAddress } from './app-address.ts';

const route = getRouteApi('/_public/jump');

/** Redirects from a web link to a chat client's deep link, with the key and server it carries. */
export function JumpScreen() {
  const { url } = route.useSearch();
  const app = appAddress(url);
  return app ? <Opening app={app} /> : <NoApp />;
}

function Opening({ app: { href, name } }: { app: AppAddress }) {
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
      {t('hint', { name })}
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
