import { announcementApi } from '@relay-hub/contract';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { call } from '#api/call.ts';
import { MessagePage } from '#app/message-page.tsx';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';

const route = getRouteApi('/_public/unsubscribe');

/** Stops mails of announcements. Opening the link changes nothing: mail servers open links, too. */
export function UnsubscribeScreen() {
  const { t } = useTranslation('announcement');
  const { token } = route.useSearch();
  const stop = useMutation({ mutationFn: () => call(announcementApi.unsubscribe, { params: { token } }) });
  const action = stop.isSuccess ? (
    <Button size="lg" render={<Link to="/" />}>
      {t('home')}
    </Button>
  ) : (
    <Button variant="primary" size="lg" busy={stop.isPending} onClick={() => stop.mutate()}>
      {t('stopMails')}
    </Button>
  );
  return (
    <MessagePage title={t(stop.isSuccess ? 'stoppedTitle' : 'stopTitle')} actions={action}>
      {t(stop.isSuccess ? 'stoppedText' : 'stopText')}
    </MessagePage>
  );
}
